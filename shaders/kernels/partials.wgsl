// Later passes: fold accumulators that an earlier pass left in memory.
//
//   accumulator <- identity
//   for i <- my invocation, my invocation + grid, ... while a partial is left
//       accumulator <- combine(accumulator, partials[i])
//
// There are few partials (one per workgroup of the pass before), so this kernel is plain.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    // Partials [0, count) are folded.
    count: u32,
    // Workgroups that share them, and the slot of the first one's result.
    workgroups: u32,
    first_slot: u32,
}

@group(0) @binding(0) var<storage, read> partials: array<Acc>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

fn gather(workgroup: u32, local: u32) -> Acc {
    var total = identity();
    if (workgroup < parameters.workgroups) {
        let stride = parameters.workgroups * WORKGROUP_SIZE;
        for (var i = workgroup * WORKGROUP_SIZE + local; i < parameters.count; i += stride) {
            total = combine(total, partials[i]);
        }
    }
    return total;
}

fn complete(total: Acc) -> Acc {
    return total;
}
