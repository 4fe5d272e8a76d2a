// How a workgroup's invocations become one value through workgroup memory alone.
//
//   slot[local] <- my value
//   for distance <- WORKGROUP_SIZE / 2, ... 2, 1
//       barrier; if local < distance: slot[local] <- combine(slot[local], slot[local + distance])
//   invocation 0 has the total
//
// Sequential addressing: active invocations and the slots they read are contiguous, so memory banks
// do not conflict and whole subgroups fall idle together. Every step is behind a barrier, the last
// ones too: WGSL has no lockstep to lean on.

var<workgroup> slots: array<Acc, WORKGROUP_SIZE>;

fn leads(me: Invocation) -> bool {
    return me.local == 0u;
}

// Combines the values of a workgroup's invocations; the one that leads gets the result. A second
// call needs a barrier before it.
fn combine_workgroup(value: Acc, me: Invocation) -> Acc {
    slots[me.local] = value;
    for (var distance = WORKGROUP_SIZE / 2u; distance > 0u; distance /= 2u) {
        workgroupBarrier();
        if (me.local < distance) {
            slots[me.local] = combine(slots[me.local], slots[me.local + distance]);
        }
    }
    return slots[me.local];
}
