// The histogram of one window of the input: every element is counted in the bin that it belongs to.
//
//   for each tile that is my workgroup's
//       for each element of my quads of the tile: count it in its bin if that is certain, else in a counter of nothing
//       for each element that was not certain: find its bin, and count it there
//   workgroup 0 counts the elements before and after the quads
//   what the workgroup has counted is added to the totals
//
// How the code differs from that, and why:
//  1. Loads and the first counting are under no condition but that the tile is whole: compilers wait at a condition for
//     what has been loaded, and do not move loads over it or over atomic additions. Of numbers within the bins one
//     in some thousands is not certain, and is then read again; where there are more, all are gone through again.
//  2. `quads/` hands over the elements of a quad by fours, with what it calls an accumulator. Here that is the
//     channel of the next element, what is to be done with it, its bit, and the bits of those not certain.
//  3. The grid may be larger than `parameters.workgroups`; what is beyond it counts nothing.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 256u;

// Quads that an invocation loads before it uses the first of them: 1 or 4.
override LOADS: u32 = 4u;

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
    // Copies of the counters, if they have any.
    copies: u32,
    @align(16) places: Places,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;

fn word_of(_input: u32, index: u32) -> u32 {
    return words[index];
}

// What may be done with an element: it is counted and its bit cleared if its bin is certain, or it is counted where it
// belongs if it has its bit.
const COUNT_IF_CERTAIN: u32 = 0u;
const COUNT_MARKED: u32 = 1u;

struct Acc {
    channel: u32,
    task: u32,
    bit: u32,
    marked: u32,
}

const EVERY_MARK: u32 = 0xffffffffu;

// Up to so many elements are read again, rather than all of a tile.
const FEW: u32 = 4u;

fn after(channel: u32) -> u32 {
    return select(channel + 1u, 0u, channel + 1u == CHANNELS);
}

// The one that counts nothing, behind those of all channels.
fn no_slot() -> u32 {
    return CHANNELS * parameters.places.slots;
}

fn take(before: Acc, value: Element) -> Acc {
    var marked = before.marked;
    if (before.task == COUNT_IF_CERTAIN) {
        let quick = quick_bin_of(value);
        let slot = before.channel * parameters.places.slots + quick.bin;
        count_in(select(no_slot(), slot, quick.is_certain));
        marked &= ~select(0u, before.bit, quick.is_certain);
    } else if ((marked & before.bit) != 0u) {
        count_in(slot_of(value, before.channel));
    }
    return Acc(after(before.channel), before.task, before.bit << 1u, marked);
}

fn append_two(first: Acc, a: Element, b: Element, _index: u32) -> Acc {
    return take(take(first, a), b);
}

fn append_four(first: Acc, a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    return take(take(take(take(first, a), b), c), d);
}

// Counts those elements of a quad that are marked.
fn count_quad(quad: vec4<u32>, at: u32, marked: u32) {
    let index = ELEMENTS_PER_QUAD * at;
    _ = append_quad(Acc(channel_of(index), COUNT_MARKED, 1u, marked), quad, index);
}

// Counts those elements of a quad that are certain, and clears their bits. Elements of 8 bits, of which a tile has more than a
// word has bits, all are.
fn count_certain(quad: vec4<u32>, at: u32, number: u32, marked: u32) -> u32 {
    let index = ELEMENTS_PER_QUAD * at;
    let bit = 1u << (number * ELEMENTS_PER_QUAD % 32u);
    return append_quad(Acc(channel_of(index), COUNT_IF_CERTAIN, bit, marked), quad, index).marked;
}

// As `count_certain`, for what is mine of a whole tile, of which only as many bits may be left as it has elements.
fn count_certain_of_tile(at: u32) -> u32 {
    if (METHOD == SEARCHED) {
        return EVERY_MARK;
    }
    let a = quads[at];
    let b = quads[at + WORKGROUP_SIZE];
    let c = quads[at + 2u * WORKGROUP_SIZE];
    let d = quads[at + 3u * WORKGROUP_SIZE];
    var marked = EVERY_MARK >> (32u - min(32u, 4u * ELEMENTS_PER_QUAD));
    marked = count_certain(a, at, 0u, marked);
    marked = count_certain(b, at + WORKGROUP_SIZE, 1u, marked);
    marked = count_certain(c, at + 2u * WORKGROUP_SIZE, 2u, marked);
    return count_certain(d, at + 3u * WORKGROUP_SIZE, 3u, marked);
}

// Counts what is mine of a tile of four quads for each invocation.
fn count_tile(at: u32, end: u32) {
    var marked = EVERY_MARK;
    if (at + 3u * WORKGROUP_SIZE < end) {
        marked = count_certain_of_tile(at);
        if (METHOD == EVERY_KEY || marked == 0u) {
            return;
        }
    }
    while (marked != 0u && countOneBits(marked) <= FEW) {
        let bit = firstTrailingBit(marked);
        marked &= marked - 1u;
        let quad = at + bit / ELEMENTS_PER_QUAD * WORKGROUP_SIZE;
        let index = ELEMENTS_PER_QUAD * quad + bit % ELEMENTS_PER_QUAD;
        count_in(slot_of(element_at(0u, index), channel_of(index)));
    }
    if (marked == 0u) {
        return;
    }
    let a = quads[at];
    let b = quads[min(at + WORKGROUP_SIZE, end - 1u)];
    let c = quads[min(at + 2u * WORKGROUP_SIZE, end - 1u)];
    let d = quads[min(at + 3u * WORKGROUP_SIZE, end - 1u)];
    var quad = a;
    for (var k = 0u; k < 4u; k++) {
        let mine = at + k * WORKGROUP_SIZE;
        if (mine < end) {
            count_quad(quad, mine, marked >> (k * ELEMENTS_PER_QUAD % 32u));
        }
        quad = select(select(b, c, k == 1u), d, k == 2u);
    }
}

fn gather(workgroup: u32, local: u32) {
    let tile = LOADS * WORKGROUP_SIZE;
    let stride = parameters.workgroups * tile;
    let end = parameters.body_end;
    for (var at = parameters.body_first + workgroup * tile + local; at < end; at += stride) {
        if (LOADS == 4u) {
            count_tile(at, end);
        } else {
            count_quad(quads[at], at, EVERY_MARK);
        }
    }
    if (workgroup == 0u) {
        for (var k = local; k < end_count(); k += WORKGROUP_SIZE) {
            let at = end_at(k);
            count_in(slot_of(element_at(0u, at), channel_of(at)));
        }
    }
}
