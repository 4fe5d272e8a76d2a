// One pass of a selection over one window of the input. The key of an element is a number that is ordered as elements are. Of
// the key of each wanted rank the first digits are known.
//
//   take what was kept of the input, if that is enough, and else
//   for each tile that is my workgroup's
//       for each element of my quads of the tile: take it
//   workgroup 0 does so with the elements before and after the quads
//   what the workgroup has counted is added to the totals
//
// What is done with an element is said in `take/`, and in `from/` whether elements have been kept.
//
// How the code differs from that, and why:
//  1. Loads are under no condition but that the tile is whole, as in `histogram/gather.wgsl`.
//  2. The grid may be larger than `parameters.workgroups`; what is beyond it takes nothing.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Quads that an invocation loads before it uses the first of them: 1 or 4.
override LOADS: u32 = 4u;

// Whether no digit is known of what this pass takes elements by.
override IS_FIRST: bool = true;

struct Parameters {
    // Index of the first head element, counted in elements from the start of the binding.
    head_first: u32,
    head_count: u32,
    // Whole quads [body_first, body_end), counted in quads from the start of the binding.
    body_first: u32,
    body_end: u32,
    tail_first: u32,
    tail_count: u32,
    // Workgroups that share this window.
    workgroups: u32,
    // How many ranks are wanted.
    ranks: u32,
    // The lowest bit of the digit, and how many bits it has.
    shift: u32,
    bits: u32,
    // The index in the input of what the binding begins with, modulo 2^64.
    base_low: u32,
    base_high: u32,
    // Where the first result goes, in words.
    first: u32,
    // Where the first workgroup's region of kept elements begins, in words, and elements that each has room for.
    kept_first: u32,
    kept_room: u32,
    // The same of what workgroups share once a region is full. No room: it is not this window's.
    spilled_first: u32,
    spilled_room: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
// Each wanted rank has four words: what is known of its key or place, and how many elements with such stand before it. The first digit reads none.
@group(0) @binding(8) var<storage, read> ranks: array<u32>;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

fn append_two(first: Acc, a: Element, b: Element, _index: u32) -> Acc {
    return take(take(first, a), b);
}

fn append_four(first: Acc, a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    return take(take(take(take(first, a), b), c), d);
}

// Takes what is mine of a tile of four quads for each invocation.
fn take_tile(before: Acc, at: u32, end: u32) -> Acc {
    var taken = before;
    if (at + 3u * WORKGROUP_SIZE < end) {
        let a = quads[at];
        let b = quads[at + WORKGROUP_SIZE];
        let c = quads[at + 2u * WORKGROUP_SIZE];
        let d = quads[at + 3u * WORKGROUP_SIZE];
        return take_quads(taken, a, b, c, d, at);
    }
    for (var mine = at; mine < end; mine += WORKGROUP_SIZE) {
        taken = take_quad(taken, quads[mine], mine);
    }
    return taken;
}

fn gather(workgroup: u32, local: u32) {
    var taken = take_first(nothing_taken(), workgroup, local);
    let tile = LOADS * WORKGROUP_SIZE;
    let stride = parameters.workgroups * tile;
    var body = vec2<u32>(0u, 0u);
    if (takes_input()) {
        body = body_to_take();
    }
    for (var at = body.x + workgroup * tile + local; at < body.y; at += stride) {
        if (LOADS == 4u) {
            taken = take_tile(taken, at, body.y);
        } else {
            taken = take_quad(taken, quads[at], at);
        }
    }
    if (workgroup == 0u && takes_input()) {
        for (var k = local; k < end_count(); k += WORKGROUP_SIZE) {
            taken = take_one(taken, end_at(k));
        }
    }
    complete(taken);
}
