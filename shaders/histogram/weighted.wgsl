// A histogram of weights: each element's weight is added to the bin that the element belongs to.
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
    // Bins and slots.
    bins: u32,
    slots: u32,
    // Of `locate.wgsl`.
    lowest: u32,
    highest: u32,
    shift: u32,
    edges: u32,
    origin: u32,
    scale: u32,
    certain: u32,
    below: u32,
    above: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read> weights: array<u32>;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

// Adds to 64 bits in two words, the lower first.
fn add_to_total(index: u32, amount: u32) {
    let before = atomicAdd(&totals[index], amount);
    if (amount > ~before) {
        atomicAdd(&totals[index + 1u], 1u);
    }
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
            let slot = slot_of(element_at(0u, index));
            add_weight(slot * SUM_WORDS, weights[index + parameters.delta]);
        }
    }
    close_sums(local);
}
