// Last pass: the totals become the result, and are zero again.

override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    // Words of the totals.
    count: u32,
    // Where the first one goes.
    first: u32,
    // Invocations of all workgroups.
    invocations: u32,
}

@group(0) @binding(2) var<storage, read_write> results: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> totals: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = (id.x + id.y * groups.x) * WORKGROUP_SIZE + local;
    for (var index = first; index < parameters.count; index += parameters.invocations) {
        results[parameters.first + index] = totals[index];
        totals[index] = 0u;
    }
}
