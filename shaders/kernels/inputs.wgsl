// One pass over several small inputs at once: workgroup k folds input k, alone.
//
//   accumulator <- identity
//   for i <- my invocation, my invocation + WORKGROUP_SIZE, ... while input k has an element left
//       accumulator <- combine(accumulator, element i of input k, lifted)
//
// A dispatch costs as much as a small input does, so several inputs share one. Each is behind a
// binding of its own; there are as many as fit beside the results into the eight that every device
// has. WGSL has no arrays of bindings that all devices can index, hence the switch. The loop is
// plain: inputs are so small that few turns are taken.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

struct Input {
    // Index of the first element, counted in elements from the start of the binding.
    first: u32,
    count: u32,
    // To the size that uniform buffers want of array elements.
    padding: vec2<u32>,
}

struct Parameters {
    inputs: array<Input, 7>,
    // How many of them there are, and the slot of the first one's result.
    workgroups: u32,
    first_slot: u32,
}

@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(8) var<storage, read> words_0: array<u32>;
@group(0) @binding(9) var<storage, read> words_1: array<u32>;
@group(0) @binding(10) var<storage, read> words_2: array<u32>;
@group(0) @binding(11) var<storage, read> words_3: array<u32>;
@group(0) @binding(12) var<storage, read> words_4: array<u32>;
@group(0) @binding(13) var<storage, read> words_5: array<u32>;
@group(0) @binding(14) var<storage, read> words_6: array<u32>;

fn word_of(input: u32, index: u32) -> u32 {
    switch input {
        case 0u: {
            return words_0[index];
        }
        case 1u: {
            return words_1[index];
        }
        case 2u: {
            return words_2[index];
        }
        case 3u: {
            return words_3[index];
        }
        case 4u: {
            return words_4[index];
        }
        case 5u: {
            return words_5[index];
        }
        default: {
            return words_6[index];
        }
    }
}

fn gather(workgroup: u32, local: u32) -> Acc {
    var total = identity();
    if (workgroup < parameters.workgroups) {
        let input = parameters.inputs[workgroup];
        for (var i = local; i < input.count; i += WORKGROUP_SIZE) {
            let value = element_at(workgroup, input.first + i);
            total = combine(total, lift_one(value, i));
        }
    }
    return total;
}

fn complete(total: Acc) -> Acc {
    return total;
}
