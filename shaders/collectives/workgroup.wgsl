// How a workgroup's invocations become one value through workgroup memory alone.
//
//   slot[local] <- my value
//   for distance <- WORKGROUP_SIZE / 2, ... 2, 1
//       barrier; if local < distance: slot[local] <- combine(slot[local], slot[local + distance])
//   invocation 0 emits
//
// Sequential addressing: active invocations and the slots they read are contiguous, so memory banks
// do not conflict and whole subgroups fall idle together. Every step is behind a barrier, the last
// ones too: WGSL has no lockstep to lean on.

var<workgroup> slots: array<Acc, WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) num_workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let workgroup = workgroup_id.x + workgroup_id.y * num_workgroups.x;
    slots[local] = gather(workgroup, local);
    for (var distance = WORKGROUP_SIZE / 2u; distance > 0u; distance /= 2u) {
        workgroupBarrier();
        if (local < distance) {
            slots[local] = combine(slots[local], slots[local + distance]);
        }
    }
    if (local == 0u && workgroup < parameters.workgroups) {
        emit(parameters.first_slot + workgroup, slots[0]);
    }
}
