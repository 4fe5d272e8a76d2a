// One pass of a selection over one window of the input. The key of an element is a number that is ordered as elements are. Of
// the key of each wanted rank the first digits are known, and what comes next is counted.
//
//   for each tile that is my workgroup's
//       for each element of my quads of the tile
//           if its key begins as a wanted one: count the digit that follows
//   workgroup 0 does so with the elements before and after the quads
//   what the workgroup has counted is added to the totals
//
// How the code differs from that, and why:
//  1. Neighbours that count alike are counted at once. Lanes that add to one counter wait for each other, and of sorted or equal
//     elements all would.
//  2. Wanted keys that begin alike share counters, those of the first of them.
//  3. Loads are under no condition but that the tile is whole, as in `histogram/gather.wgsl`.
//  4. The grid may be larger than `parameters.workgroups`; what is beyond it counts nothing.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Quads that an invocation loads before it uses the first of them: 1 or 4.
override LOADS: u32 = 4u;

// At least as many as ranks are wanted; of the first digit there is one for all.
override RANKS: u32 = 1u;

// Whether digits are known.
override IS_FIRST: bool = true;

// RANKS, times the digits there are at most.
override COUNTERS: u32 = 256u;

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
    // The lowest bit of the digit in a key, and how many bits it has.
    shift: u32,
    bits: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
// Of each wanted rank four words: what is known of its key, and how many elements with such keys stand before it.
@group(0) @binding(8) var<storage, read> ranks: array<u32>;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

var<workgroup> counters: array<atomic<u32>, COUNTERS>;

// A counter, and how many neighbours it has yet to count.
struct Acc {
    slot: u32,
    count: u32,
}

fn count(counted: Acc) {
    if (counted.count > 0u) {
        atomicAdd(&counters[counted.slot], counted.count);
    }
}

fn take(before: Acc, value: Element) -> Acc {
    let key = sort_key(value);
    var wanted = 0u;
    if (!IS_FIRST) {
        wanted = first_with(bits_above(key, parameters.shift + parameters.bits));
        if (wanted == RANKS) {
            return before;
        }
    }
    let digit = bits_to_words(bits_above(key, parameters.shift)).x & ((1u << parameters.bits) - 1u);
    let slot = (wanted << parameters.bits) | digit;
    if (slot == before.slot) {
        return Acc(slot, before.count + 1u);
    }
    count(before);
    return Acc(slot, 1u);
}

fn append_two(first: Acc, a: Element, b: Element, _index: u32) -> Acc {
    return take(take(first, a), b);
}

fn append_four(first: Acc, a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    return take(take(take(take(first, a), b), c), d);
}

// Counts what is mine of a tile of four quads for each invocation.
fn count_tile(before: Acc, at: u32, end: u32) -> Acc {
    var counted = before;
    if (at + 3u * WORKGROUP_SIZE < end) {
        let a = quads[at];
        let b = quads[at + WORKGROUP_SIZE];
        let c = quads[at + 2u * WORKGROUP_SIZE];
        let d = quads[at + 3u * WORKGROUP_SIZE];
        counted = append_quad(counted, a, 0u);
        counted = append_quad(counted, b, 0u);
        counted = append_quad(counted, c, 0u);
        return append_quad(counted, d, 0u);
    }
    for (var mine = at; mine < end; mine += WORKGROUP_SIZE) {
        counted = append_quad(counted, quads[mine], 0u);
    }
    return counted;
}

fn gather(workgroup: u32, local: u32) {
    var counted = Acc(0u, 0u);
    let tile = LOADS * WORKGROUP_SIZE;
    let stride = parameters.workgroups * tile;
    let end = parameters.body_end;
    for (var at = parameters.body_first + workgroup * tile + local; at < end; at += stride) {
        if (LOADS == 4u) {
            counted = count_tile(counted, at, end);
        } else {
            counted = append_quad(counted, quads[at], 0u);
        }
    }
    if (workgroup == 0u) {
        for (var k = local; k < end_count(); k += WORKGROUP_SIZE) {
            counted = take(counted, element_at(0u, end_at(k)));
        }
    }
    count(counted);
}

fn open_slots(local: u32) {
    for (var index = local; index < COUNTERS; index += WORKGROUP_SIZE) {
        atomicStore(&counters[index], 0u);
    }
    for (var number = local; number < RANKS; number += WORKGROUP_SIZE) {
        let rank = min(number, parameters.ranks - 1u);
        let known = bits_from_words(vec2<u32>(ranks[4u * rank], ranks[4u * rank + 1u]));
        beginnings[number] = bits_above(known, (parameters.shift + parameters.bits) % KEY_BITS);
    }
    workgroupBarrier();
}

fn close_slots(local: u32) {
    workgroupBarrier();
    for (var slot = local; slot < RANKS << parameters.bits; slot += WORKGROUP_SIZE) {
        let counted = atomicLoad(&counters[slot]);
        if (counted > 0u) {
            add_to_total(2u * slot, counted);
        }
    }
}
