// Last pass: the totals become the result, and are zero again.

override WORKGROUP_SIZE: u32 = 256u;

// Whether totals have two words, as results do; else the upper one is 0.
override CARRIES: bool = true;

struct Parameters {
    // Words of the results.
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
        if (CARRIES) {
            results[parameters.first + index] = totals[index];
            totals[index] = 0u;
        } else if ((index & 1u) == 0u) {
            results[parameters.first + index] = totals[index / 2u];
            totals[index / 2u] = 0u;
        } else {
            results[parameters.first + index] = 0u;
        }
    }
}
