// The entry point of what counts in slots.

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let workgroup = id.x + id.y * groups.x;
    open_slots(local);
    if (workgroup < parameters.workgroups) {
        gather(workgroup, local);
    }
    close_slots(local);
}
