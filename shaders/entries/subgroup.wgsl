// The entry point, where the device has subgroup operations.
//
// Builtins are its own arguments, and functions get them in plain values: naga writes other HLSL for builtins in
// members of a struct, which is refused or wrong.

struct Invocation {
    local: u32,
    lane: u32,
    subgroup: u32,
    subgroups: u32,
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    reduce_workgroup(id.x + id.y * count.x, Invocation(local, lane, subgroup, subgroups));
}
