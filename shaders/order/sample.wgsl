// Takes a sample of one window: keys of elements that are about as far apart as each other.
//
//   for each of my stretches of quads: leave the key of one element
//
// How the code differs from that, and why:
//  1. The element of a stretch is chosen by mixed bits of its number, so that no regular input is met in step.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

struct Parameters {
    // The first whole quad, counted from the start of the binding.
    body_first: u32,
    // Quads of a stretch.
    step: u32,
    // How many keys are left, and where the first goes, in words.
    count: u32,
    first: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> keys: array<u32>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

fn mixed(number: u32) -> u32 {
    var bits = number * 0x9e3779b1u;
    bits = (bits ^ (bits >> 15u)) * 0x85ebca77u;
    return bits ^ (bits >> 13u);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = (id.x + id.y * groups.x) * WORKGROUP_SIZE + local;
    if (number < parameters.count) {
        let bits = mixed(number);
        let quad = parameters.body_first + number * parameters.step + bits % parameters.step;
        let value = element_at(0u, ELEMENTS_PER_QUAD * quad + (bits >> 28u) % ELEMENTS_PER_QUAD);
        let key = bits_to_words(turned(sort_key(value)));
        let at = parameters.first + BITS_WORDS * number;
        keys[at] = key.x;
        if (BITS_WORDS == 2u) {
            keys[at + 1u] = key.y;
        }
    }
}
