// The histogram of weights of one window: each element's weight is added to the bin of its value and channel.
//
//   for each element that is mine: add its weight to its bin
//   what the workgroup has added is added to the totals
//
// Everything is an integer, so the order does not matter. Neighbouring invocations take neighbouring elements,
// one at a time: additions take longer than loads.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    // Elements [first, end), counted from the start of the binding.
    first: u32,
    end: u32,
    // From an element's index to that of its weight, modulo 2^32.
    delta: u32,
    // Workgroups that share this window.
    workgroups: u32,
    @align(16) places: Places,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(6) var<storage, read> weights: array<u32>;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let workgroup = id.x + id.y * groups.x;
    open_sums(local);
    if (workgroup < parameters.workgroups) {
        let stride = parameters.workgroups * WORKGROUP_SIZE;
        let first = parameters.first + workgroup * WORKGROUP_SIZE + local;
        for (var index = first; index < parameters.end; index += stride) {
            let slot = slot_of(element_at(0u, index), channel_of(index));
            add_weight(slot * TOTAL_WORDS, index + parameters.delta);
        }
    }
    close_sums(local);
}
