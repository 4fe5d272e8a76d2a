// First pass over two inputs: fold the pairs of one window into one accumulator per invocation.
//
//   accumulator <- identity
//   for each tile that is my workgroup's
//       of_tile <- my quads of the tile, lifted with their partners in the other input, and combined
//       accumulator <- combine(accumulator, of_tile)
//   workgroup 0 adds the pairs before and after the quads
//
// The partner of the element with index i behind the first input's bindings has the index i + delta,
// modulo 2^32, behind the second's.
//
// How the code differs from that, and why:
//  1. Tiles, loads, head and tail are as in kernels/elements.wgsl; the first input says where quads are.
//  2. Inputs may begin at any element, so the partners of a quad are a quad only where delta is a multiple
//     of its elements. Else they are loaded as words, and shifted where several elements share a word. Which of both is the same in a whole dispatch, and
//     is asked outside of the loops: `fold` is compiled twice, and its condition is a constant in each.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Quads of the first input that an invocation loads, with their partners, before it uses the first of
// them.
override LOADS_IN_FLIGHT: u32 = 4u;

struct Parameters {
    // Index of the first head element, counted in elements from the start of the binding.
    head_first: u32,
    head_count: u32,
    // Whole quads [body_first, body_end), counted in quads from the start of the binding.
    body_first: u32,
    body_end: u32,
    tail_first: u32,
    tail_count: u32,
    // Workgroups that share this window, and the slot of the first one's result.
    workgroups: u32,
    first_slot: u32,
    // The number of the first one's partial among those of all windows, and how many there are.
    first_partial: u32,
    partials: u32,
    // From an index behind the first input's bindings to its partner's behind the second's.
    delta: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(6) var<storage, read> partner_words: array<u32>;
@group(0) @binding(7) var<storage, read> partner_quads: array<vec4<u32>>;

fn word_of(input: u32, index: u32) -> u32 {
    if (input == 0u) {
        return words[index];
    }
    return partner_words[index];
}

// The partners of a quad, as if they were one.
fn partners_of(quad: u32, are_quads: bool) -> vec4<u32> {
    let first = ELEMENTS_PER_QUAD * quad + parameters.delta;
    if (are_quads) {
        return partner_quads[first / ELEMENTS_PER_QUAD];
    }
    let word = partner_word(first);
    let partners = vec4<u32>(
        partner_words[word],
        partner_words[word + 1u],
        partner_words[word + 2u],
        partner_words[word + 3u],
    );
    let down = partner_shift(first);
    if (down == 0u) {
        return partners;
    }
    let next = vec4<u32>(partners.yzw, partner_words[word + 4u]);
    return (partners >> vec4<u32>(down)) | (next << vec4<u32>(32u - down));
}

fn fold(workgroup: u32, local: u32, are_quads: bool) -> Acc {
    let tile = LOADS_IN_FLIGHT * WORKGROUP_SIZE;
    let stride = parameters.workgroups * tile;
    let end = parameters.body_end;
    var total = identity();
    var i = parameters.body_first + workgroup * tile + local;
    while (i < end) {
        var of_tile = identity();
        for (var k = 0u; k < LOADS_IN_FLIGHT; k++) {
            let at = i + k * WORKGROUP_SIZE;
            let there = min(at, end - 1u);
            let of_quad = lift_quads(quads[there], partners_of(there, are_quads));
            if (at < end) {
                of_tile = combine(of_tile, of_quad);
            }
        }
        total = combine(total, of_tile);
        i += stride;
    }
    return total;
}

fn gather(workgroup: u32, local: u32) -> Acc {
    if (workgroup >= parameters.workgroups) {
        return identity();
    }
    var total: Acc;
    if (parameters.delta % ELEMENTS_PER_QUAD == 0u) {
        total = fold(workgroup, local, true);
    } else {
        total = fold(workgroup, local, false);
    }
    if (workgroup == 0u) {
        for (var k = local; k < end_count(); k += WORKGROUP_SIZE) {
            let at = end_at(k);
            let partner = element_at(1u, at + parameters.delta);
            total = combine(total, lift_pair(element_at(0u, at), partner, at));
        }
    }
    return total;
}

fn complete(total: Acc) -> Acc {
    return total;
}
