// First pass: fold the elements of one window of the input into one accumulator per invocation.
//
//   running <- begun
//   for each tile that is my workgroup's
//       of_tile <- opened; my quads of the tile with their indices from its first on, one appended after another
//       running <- running with of_tile, which has its place in the binding
//   accumulator <- what is running
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
//  3. A tile is folded apart before it is added: shorter chains, which round less. What runs from tile to tile, and
//     what a tile is, is said by a file of `tiles/`: mostly an accumulator each.
//  4. A window may start and end at any element, and a buffer may end inside a quad. The host
//     splits the window into head (before the first whole quad), body (whole quads) and tail; head
//     and tail are read through `words`, a second view of the same bytes.
//  5. The grid may be two-dimensional and larger than `parameters.workgroups`; what is beyond it
//     contributes the identity.
//  6. Indices have one word here, and two from `rebase` on. Operations without an index ignore both.
//  7. A tile has at least one quad of an invocation that comes to it. So an operation that looks for places begins a
//     tile with the place of the first, and one that takes a pivot of the first quad knows which that is: neither
//     need be asked for each quad. Within a tile indices are known to the compiler.
//  8. Where appending takes long, a quad's successor in the next tile is loaded as soon as the quad is appended, into the
//     same registers: as much is under way while an invocation computes as while it waits.
//  9. Which element of a quad it is that an operation looks for is asked once for a workgroup, not by each
//     invocation: that would be as many quads to read again, from far apart.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Quads that an invocation loads before it uses the first of them.
override LOADS_IN_FLIGHT: u32 = 4u;

// Whether tiles that are whole have a loop of their own, without a condition. Where appending takes many
// instructions compilers branch at a condition, and wait for each load; where it takes few, the code is
// better short.
override WHOLE_TILES: bool = false;

// Whether quads are loaded anew as soon as they are appended.
override REFILLS: bool = false;

// The most that LOADS_IN_FLIGHT may be: MAX_LOADS_IN_FLIGHT of `src/plan/tuning.rs`.
const MOST_LOADS: u32 = 16u;

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

// The quads that an invocation goes through, counted from the start of the binding.
struct Way {
    // Its first quad, and how far it is from there to that of its next tile.
    first: u32,
    stride: u32,
    // Where the quads end.
    end: u32,
}

fn gather_tiles(way: Way) -> Running {
    var running = begin_tiles();
    var i = way.first;
    while (i < way.end) {
        var of_tile = begin_tile(running);
        if (WHOLE_TILES && i + (LOADS_IN_FLIGHT - 1u) * WORKGROUP_SIZE < way.end) {
            for (var k = 0u; k < LOADS_IN_FLIGHT; k++) {
                let in_tile = k * WORKGROUP_SIZE;
                of_tile = append_to_tile(of_tile, quads[i + in_tile], ELEMENTS_PER_QUAD * in_tile);
            }
        } else {
            for (var k = 0u; k < LOADS_IN_FLIGHT; k++) {
                let in_tile = k * WORKGROUP_SIZE;
                let quad = quads[min(i + in_tile, way.end - 1u)];
                if (i + in_tile < way.end) {
                    of_tile = append_to_tile(of_tile, quad, ELEMENTS_PER_QUAD * in_tile);
                }
            }
        }
        running = end_tile(running, of_tile, ELEMENTS_PER_QUAD * i);
        i += way.stride;
    }
    return running;
}

// The same, with the next tile's quads under way while those of a tile are appended. Of a tile that is not whole all
// quads are there before the first is asked whether it is one.
fn gather_refilling(way: Way) -> Running {
    var running = begin_tiles();
    var loaded: array<vec4<u32>, MOST_LOADS>;
    var i = way.first;
    if (i < way.end) {
        for (var k = 0u; k < LOADS_IN_FLIGHT; k++) {
            loaded[k] = quads[min(i + k * WORKGROUP_SIZE, way.end - 1u)];
        }
    }
    while (i < way.end) {
        let next = i + way.stride;
        var of_tile = begin_tile(running);
        if (i + (LOADS_IN_FLIGHT - 1u) * WORKGROUP_SIZE < way.end) {
            for (var k = 0u; k < LOADS_IN_FLIGHT; k++) {
                let in_tile = k * WORKGROUP_SIZE;
                let quad = loaded[k];
                loaded[k] = quads[min(next + in_tile, way.end - 1u)];
                of_tile = append_to_tile(of_tile, quad, ELEMENTS_PER_QUAD * in_tile);
            }
        } else {
            for (var k = 0u; k < LOADS_IN_FLIGHT; k++) {
                let in_tile = k * WORKGROUP_SIZE;
                if (i + in_tile < way.end) {
                    of_tile = append_to_tile(of_tile, loaded[k], ELEMENTS_PER_QUAD * in_tile);
                }
            }
        }
        running = end_tile(running, of_tile, ELEMENTS_PER_QUAD * i);
        i = next;
    }
    return running;
}

fn gather_quads(way: Way) -> Acc {
    if (REFILLS) {
        return end_tiles(gather_refilling(way));
    }
    return end_tiles(gather_tiles(way));
}

fn gather(workgroup: u32, local: u32) -> Acc {
    if (workgroup >= parameters.workgroups) {
        return identity();
    }
    let tile = LOADS_IN_FLIGHT * WORKGROUP_SIZE;
    let first = parameters.body_first + workgroup * tile + local;
    var total = gather_quads(Way(first, parameters.workgroups * tile, parameters.body_end));
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
