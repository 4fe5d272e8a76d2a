// Segments, second pass: every workgroup folds its share of the tiles of one window.
//
//   carry <- identity
//   for each tile of my share
//       if no segment ends in it
//           open <- combine(open, my quads of it)
//       else
//           carry <- combine(carry, open of all invocations); open <- identity
//           tile memory <- its elements; for each end in it: mark the element before, note the segment
//           fold my run of consecutive elements, from mark to mark
//           what the runs before mine have left open, and carry if none of them has a mark, is the start
//               of the segment that my first mark closes
//           carry <- what all runs leave open
//   my share's first closed segment and my carry are left for the last pass, since others may have
//       begun the one and will go on with the other
//
// How the code differs from merge-path reductions that walk along the merge item by item, and why:
//  1. Tiles are items of the merge, so that work is balanced, but within a tile ends and elements are taken
//     apart: all ends at once, then all elements. An invocation's loop is over elements alone, and where no
//     mark is among them it is the plain loop over quads. Empty segments never meet an element: whoever
//     finds one leaves its result.
//  2. Tiles inside a long segment do not pass through workgroup memory and need no barrier: they are folded
//     as by the kernel that has one segment only. Which tiles these are the splits tell, for all invocations
//     alike.
//  3. An invocation's run is QUADS quads, an odd number, so that subgroups do not meet at the banks of
//     workgroup memory.
//  4. The share's first closed segment goes to the last pass even if nobody else has a part of it: what is
//     before it is the identity then, and there is nothing to find out.
//  5. Offsets may be anything: whatever is derived from them is compared with what there is before it is an
//     index, and the first offset that is wrong sets a word of the report. Each end is looked at by somebody,
//     whatever the others are.
//  6. Indices count from the start of the binding, until they are left.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 64u;

// Quads of an invocation's run: 32 elements at most.
override QUADS: u32 = 5u;

override RUN: u32 = QUADS * ELEMENTS_PER_QUAD;
override TILE_QUADS: u32 = QUADS * WORKGROUP_SIZE;
override TILE_ELEMENTS: u32 = TILE_QUADS * ELEMENTS_PER_QUAD;

struct Parameters {
    // What is added to an element's index behind the binding to get that in the input; modulo 2^64.
    base_low: u32,
    base_high: u32,
    // Words behind the binding.
    words: u32,
    // Elements of the input.
    len: u32,
    first_offset: u32,
    // Where the window's entry begins in `splits`.
    first_split: u32,
    // Workgroups that share the window, and the number of the first one's share.
    workgroups: u32,
    first_share: u32,
    // Where the result of segment 0 goes.
    first_slot: u32,
    // Whether the lengths of the segments are reported.
    has_lengths: u32,
    // Whether there is no share but this one.
    is_alone: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
// Whether an offset is wrong; then the lengths.
@group(0) @binding(4) var<storage, read_write> report: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> shares: array<u32>;
@group(0) @binding(8) var<storage, read> splits: array<vec2<u32>>;

var<workgroup> tile_quads: array<vec4<u32>, TILE_QUADS>;
// By the place of a segment's last element in the tile.
var<workgroup> segment_of: array<u32, TILE_ELEMENTS>;
// By invocation: a bit for each element of its run that is a segment's last.
var<workgroup> marks_of: array<atomic<u32>, WORKGROUP_SIZE>;
// What the tiles so far have of the segment that is open.
var<workgroup> carry: Acc;
// Whether the share has closed a segment.
var<workgroup> has_closed: u32;

const IN_MEMORY: u32 = 0u;
const IN_TILE: u32 = 1u;

fn word_of(place: u32, index: u32) -> u32 {
    if (place == IN_TILE) {
        return tile_quads[index >> 2u][index & 3u];
    }
    return words[index];
}

// Elements [first, end), counted from the tile's first quad, and the segments that end in it.
struct Tile {
    first_quad: u32,
    first: u32,
    end: u32,
    segment: u32,
    end_segment: u32,
}

fn tile_at(number: u32) -> Tile {
    let at = parameters.first_split + 1u + number;
    let before = splits[at];
    let behind = splits[at + 1u];
    let first = before.x - parameters.base_low;
    let first_quad = first / ELEMENTS_PER_QUAD;
    let start = first - first_quad * ELEMENTS_PER_QUAD;
    let count = min(max(behind.x, before.x) - before.x, TILE_ELEMENTS - start);
    return Tile(first_quad, start, start + count, before.y, max(behind.y, before.y));
}

// A quad of the tile; past its end the last one again. A buffer may end inside a quad.
fn quad_at(tile: Tile, number: u32) -> vec4<u32> {
    let last = (max(tile.end, 1u) - 1u) / ELEMENTS_PER_QUAD;
    let at = tile.first_quad + min(number, last);
    let bound = parameters.words / 4u;
    var quad = quads[min(at, max(bound, 1u) - 1u)];
    if (at >= bound) {
        let end = max(parameters.words, 1u) - 1u;
        let first = 4u * at;
        quad = vec4<u32>(
            words[min(first, end)],
            words[min(first + 1u, end)],
            words[min(first + 2u, end)],
            words[min(first + 3u, end)],
        );
    }
    return quad;
}

// My part of a tile in which no segment ends.
fn fold_whole(tile: Tile, place: u32) -> Acc {
    let index = ELEMENTS_PER_QUAD * tile.first_quad;
    let first_whole = (tile.first + ELEMENTS_PER_QUAD - 1u) / ELEMENTS_PER_QUAD;
    let end_whole = tile.end / ELEMENTS_PER_QUAD;
    var total = identity();
    for (var k = 0u; k < QUADS; k++) {
        let at = k * WORKGROUP_SIZE + place;
        let quad = quad_at(tile, at);
        if (at >= first_whole && at < end_whole) {
            total = append_quad(total, quad, index + ELEMENTS_PER_QUAD * at);
        }
    }
    total = settle(total);
    // The elements of the first and the last quad, unless they are whole.
    for (var k = place; k < 2u * ELEMENTS_PER_QUAD; k += WORKGROUP_SIZE) {
        let is_tail = k >= ELEMENTS_PER_QUAD;
        let quad = select(0u, end_whole, is_tail);
        let at = ELEMENTS_PER_QUAD * quad + k % ELEMENTS_PER_QUAD;
        let is_split = quad < first_whole || quad >= end_whole;
        if (is_split && at >= tile.first && at < tile.end && !(is_tail && quad == 0u)) {
            total = combine(total, lift_one(element_at(IN_MEMORY, index + at), index + at));
        }
    }
    return total;
}

// Looks at the ends in a tile: marks the elements before them, and leaves the results of empty segments.
fn mark_ends(tile: Tile, place: u32) {
    let to_tile = 0u - parameters.base_low - ELEMENTS_PER_QUAD * tile.first_quad;
    for (var i = tile.segment + place; i < tile.end_segment; i += WORKGROUP_SIZE) {
        let start = offset_at(i);
        let end = offset_at(i + 1u);
        if (start > end || end > parameters.len) {
            atomicStore(&report[0], 1u);
        }
        if (parameters.has_lengths != 0u) {
            atomicStore(&report[1u + i], end - start);
        }
        if (start >= end) {
            results[parameters.first_slot + i] = finish(identity());
            continue;
        }
        let last = end - 1u + to_tile;
        if (last >= tile.first && last < tile.end) {
            segment_of[last] = i;
            atomicOr(&marks_of[last / RUN], 1u << (last % RUN));
        }
    }
}

// What a run has up to its first mark, and behind its last.
struct Run {
    closing: Acc,
    open: Acc,
    marks: u32,
}

// Folds my run, and leaves what begins and ends in it.
fn fold_run(tile: Tile, place: u32) -> Run {
    let start = RUN * place;
    let index = ELEMENTS_PER_QUAD * tile.first_quad;
    let marks = atomicLoad(&marks_of[place]);
    var total = identity();
    if (marks == 0u && start >= tile.first && start + RUN <= tile.end) {
        for (var k = 0u; k < QUADS; k++) {
            let quad = tile_quads[QUADS * place + k];
            total = append_quad(total, quad, index + start + ELEMENTS_PER_QUAD * k);
        }
        return Run(identity(), settle(total), 0u);
    }
    var closing = identity();
    var is_first = true;
    let end = min(start + RUN, tile.end);
    for (var at = max(start, tile.first); at < end; at++) {
        total = combine(total, lift_one(element_at(IN_TILE, at), index + at));
        if (((marks >> (at - start)) & 1u) != 0u) {
            if (is_first) {
                closing = total;
                is_first = false;
            } else {
                leave(segment_of[at], total, 0u - parameters.base_low);
            }
            total = identity();
        }
    }
    return Run(closing, total, marks);
}

fn leave_in_share(first_word: u32, value: Acc) {
    var of_value = acc_to_words(rebase(value, vec2<u32>(parameters.base_low, parameters.base_high)));
    for (var i = 0u; i < ACC_WORDS; i++) {
        shares[first_word + i] = of_value[i];
    }
}

// A tile in which segments end.
fn fold_cut(tile: Tile, me: Invocation, share: u32) {
    let place = place_of(me);
    workgroupBarrier();
    for (var k = 0u; k < QUADS; k++) {
        let at = k * WORKGROUP_SIZE + place;
        tile_quads[at] = quad_at(tile, at);
    }
    atomicStore(&marks_of[place], 0u);
    workgroupBarrier();
    mark_ends(tile, place);
    workgroupBarrier();
    let run = fold_run(tile, place);
    let mine = Stretch(run.open, u32(run.marks != 0u));
    let carried = Stretch(carry, has_closed);
    let before = join(Stretch(carried.value, 0u), scan_before(mine, me));
    if (run.marks != 0u) {
        let segment = segment_of[RUN * place + firstTrailingBit(run.marks)];
        let total = combine(before.value, run.closing);
        if (before.cut == 0u && carried.cut == 0u) {
            shares[share + 1u] = segment;
            leave_in_share(share + OF_CLOSED, total);
        } else {
            leave(segment, total, 0u - parameters.base_low);
        }
    }
    if (place == WORKGROUP_SIZE - 1u) {
        let after = join(before, mine);
        carry = after.value;
        has_closed = carried.cut | after.cut;
    }
}

// Adds what invocations have of the open segment to the carry.
fn gather_open(open: Acc, me: Invocation) {
    workgroupBarrier();
    let total = combine_workgroup(open, me);
    if (leads(me)) {
        carry = combine(carry, total);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(me: Invocation, us: Workgroup) {
    let workgroup = number_of(us);
    if (workgroup >= parameters.workgroups) {
        return;
    }
    let share = SHARE_WORDS * (parameters.first_share + workgroup);
    if (leads(me)) {
        carry = identity();
        has_closed = parameters.is_alone;
    }
    let tiles = splits[parameters.first_split].x;
    let per_workgroup = (tiles + parameters.workgroups - 1u) / parameters.workgroups;
    let end = min((workgroup + 1u) * per_workgroup, tiles);
    var open = identity();
    var is_open = false;
    for (var number = workgroup * per_workgroup; number < end; number++) {
        let tile = tile_at(number);
        if (tile.segment == tile.end_segment) {
            open = combine(open, fold_whole(tile, place_of(me)));
            is_open = true;
        } else {
            if (is_open) {
                gather_open(open, me);
                open = identity();
                is_open = false;
            }
            fold_cut(tile, me, share);
        }
    }
    if (is_open) {
        gather_open(open, me);
    }
    workgroupBarrier();
    if (leads(me)) {
        shares[share] = has_closed;
        leave_in_share(share + OF_OPEN, carry);
    }
}
