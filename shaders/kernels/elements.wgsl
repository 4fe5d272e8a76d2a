// First pass: fold the elements of one window of the input into one accumulator per invocation.
//
//   accumulator <- identity
//   for each tile that is my workgroup's
//       of_tile <- opened; my quads of the tile with their indices from its first on, one appended after another
//       accumulator <- combine(accumulator, of_tile with its place in the binding)
//   workgroup 0 adds the elements before and after the quads
//   once the workgroup's accumulators are one: what was put off until then is done, and indices in the binding
//   become indices in the input
//
// How the code differs from that, and why:
//  1. A tile is LOADS_IN_FLIGHT runs of WORKGROUP_SIZE quads. The loop over them has a length known
//     to the compiler and loads under no condition (past the end it loads the last quad again), so
//     that all its 16-byte loads are under way before the first is used, in the last tile, too.
//  2. Neighbouring invocations load neighbouring quads, so every load of a subgroup is one contiguous
//     run, and what a workgroup has in flight lies side by side. Tiles go round the workgroups.
//  3. A tile is folded apart before it is added: shorter chains, which round less.
//  4. A window may start and end at any element, and a buffer may end inside a quad. The host
//     splits the window into head (before the first whole quad), body (whole quads) and tail; head
//     and tail are read through `words`, a second view of the same bytes.
//  5. The grid may be two-dimensional and larger than `parameters.workgroups`; what is beyond it
//     contributes the identity.
//  6. Indices have one word here, and two from `rebase` on. Operations without an index ignore both.
//  7. A tile has at least one quad of an invocation that comes to it. So an operation that looks for places begins a
//     tile with the place of the first, and one that takes a pivot of the first quad knows which that is: neither
//     need be asked for each quad. Within a tile indices are known to the compiler.
//  8. Which element of a quad it is that an operation looks for is asked once for a workgroup, not by each
//     invocation: that would be as many quads to read again, from far apart.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Quads that an invocation loads before it uses the first of them.
override LOADS_IN_FLIGHT: u32 = 4u;

// Whether tiles that are whole have a loop of their own, without a condition. Where appending takes many
// instructions compilers branch at a condition, and wait for each load; where it takes few, the code is
// better short.
override WHOLE_TILES: bool = false;

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
    // What is added to an element's index from the start of the binding to get that in the input:
    // 64 bits, modulo 2^64.
    base_low: u32,
    base_high: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

fn gather(workgroup: u32, local: u32) -> Acc {
    if (workgroup >= parameters.workgroups) {
        return identity();
    }
    let tile = LOADS_IN_FLIGHT * WORKGROUP_SIZE;
    let stride = parameters.workgroups * tile;
    let end = parameters.body_end;
    var total = identity();
    var i = parameters.body_first + workgroup * tile + local;
    while (i < end) {
        var of_tile = open_tile();
        if (WHOLE_TILES && i + (LOADS_IN_FLIGHT - 1u) * WORKGROUP_SIZE < end) {
            for (var k = 0u; k < LOADS_IN_FLIGHT; k++) {
                let in_tile = k * WORKGROUP_SIZE;
                of_tile = append_quad(of_tile, quads[i + in_tile], ELEMENTS_PER_QUAD * in_tile);
            }
        } else {
            for (var k = 0u; k < LOADS_IN_FLIGHT; k++) {
                let in_tile = k * WORKGROUP_SIZE;
                let quad = quads[min(i + in_tile, end - 1u)];
                if (i + in_tile < end) {
                    of_tile = append_quad(of_tile, quad, ELEMENTS_PER_QUAD * in_tile);
                }
            }
        }
        total = combine(total, place_tile(of_tile, ELEMENTS_PER_QUAD * i));
        i += stride;
    }
    if (workgroup == 0u) {
        for (var k = local; k < end_count(); k += WORKGROUP_SIZE) {
            let at = end_at(k);
            total = combine(total, lift_one(element_at(0u, at), at));
        }
    }
    return total;
}

fn complete(total: Acc) -> Acc {
    return rebase(settle(total), vec2<u32>(parameters.base_low, parameters.base_high));
}

// Whether a place with this index may be a quad, or a part of one, in which the element is yet to be found: what
// lies before the quads and behind them has its own index at once.
fn is_in_quads(index: u32) -> bool {
    return index / ELEMENTS_PER_QUAD - parameters.body_first < parameters.body_end - parameters.body_first;
}

// Whether what quads are appended to is a tile that has been opened.
fn is_opened() -> bool {
    return true;
}
