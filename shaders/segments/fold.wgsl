// Segments, second pass: every workgroup folds its share of the tiles of one window.
//
//   carry <- identity
//   for each tile of my share
//       if no segment ends in it
//           open <- combine(open, my quads of it)
//       else
//           carry <- combine(carry, open of all invocations); open <- identity
//           tile memory <- its elements; for each end in it: mark the element before, note the segment
//           fold my run of consecutive elements, from mark to mark, and close what ends in it
//           what the runs before mine have left open, and carry if none of them has a mark, is the start
//               of the segment that my first mark closes
//           carry <- what all runs leave open
//           leave what has been closed, unless it has been already
//   my share's first closed segment and my carry are handed over, since others may have begun the one and will go
//       on with the other
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
//  4. The share's first closed segment is handed over even if nobody else has a part of it, unless it is known that
//     nobody can (begins_alone): what is before it is the identity then, and there is nothing to find out.
//  5. Offsets may be anything: whatever is derived from them is compared with what there is before it is an
//     index, and the first offset that is wrong sets a word of the report. Each end is looked at by somebody,
//     whatever the others are.
//  6. Indices count from the start of the binding, until they are left.
//  7. Quads and ends are loaded under no condition, in loops of constant length, so that they are under way
//     together; past the end the last is loaded again. The first ends of a tile, two for each invocation, are under
//     way with its quads, and the splits of the next tile with this one. Few tiles have more.
//  8. How a run is folded and a segment closed is in closed_in_place.wgsl or closed_by_runs.wgsl.
//  9. Where a tile goes depends on what has been loaded, though all invocations go there: `agreed` says so.
// 10. How parts of one segment become one is in closed_by_pass.wgsl or closed_ahead.wgsl.

// Invocations per workgroup: a power of two.
override WORKGROUP_SIZE: u32 = 64u;

// Quads of an invocation's run: 32 elements at most.
override QUADS: u32 = 5u;

// Whether elements are to be combined in their order: then all tiles pass through workgroup memory.
override IN_ORDER: bool = false;

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
    // How many shares there are, of all windows.
    shares: u32,
    // The bits of a custom operator's identity.
    identity_bits: vec4<u32>,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
// Whether an offset is wrong; then the lengths.
@group(0) @binding(4) var<storage, read_write> report: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read> splits: array<vec2<u32>>;

var<workgroup> tile_quads: array<vec4<u32>, TILE_QUADS>;
// By invocation: a bit for each element of its run that is a segment's last.
var<workgroup> marks_of: array<atomic<u32>, WORKGROUP_SIZE>;
// What the tiles so far have of the segment that is open.
var<workgroup> carry: Acc;
// Whether the share has closed a segment.
var<workgroup> has_closed: u32;
// The place in the tile of the last element of the segment that the share closes first.
var<workgroup> first_closed: u32;

const NO_PLACE: u32 = 0xffffffffu;

const IN_MEMORY: u32 = 0u;
const IN_QUAD: u32 = 1u;
const IN_TILE: u32 = 2u;

// A quad of my run. Selected from, since a vector that is indexed may have to lie in memory.
var<private> held: vec4<u32>;

fn word_of(place: u32, index: u32) -> u32 {
    if (place == IN_QUAD) {
        let is_odd = (index & 1u) != 0u;
        return select(select(held.x, held.y, is_odd), select(held.z, held.w, is_odd), (index & 2u) != 0u);
    }
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

// What lies between two splits.
fn tile_between(before: vec2<u32>, behind: vec2<u32>) -> Tile {
    let first = before.x - parameters.base_low;
    let first_quad = first / ELEMENTS_PER_QUAD;
    let start = first - first_quad * ELEMENTS_PER_QUAD;
    let count = min(max(behind.x, before.x) - before.x, TILE_ELEMENTS - start);
    return Tile(first_quad, start, start + count, before.y, max(behind.y, before.y));
}

// The last of the whole quads that a tile has a part of.
fn last_quad(tile: Tile) -> u32 {
    let last = tile.first_quad + (max(tile.end, 1u) - 1u) / ELEMENTS_PER_QUAD;
    return min(last, max(parameters.words / 4u, 1u) - 1u);
}

// My part of a tile in which no segment ends.
fn fold_whole(tile: Tile, place: u32) -> Acc {
    let index = ELEMENTS_PER_QUAD * tile.first_quad;
    let first_whole = (tile.first + ELEMENTS_PER_QUAD - 1u) / ELEMENTS_PER_QUAD;
    let end_whole = tile.end / ELEMENTS_PER_QUAD;
    if (is_full(tile)) {
        return settle(fold_full(tile, place));
    }
    let last = last_quad(tile);
    var total = identity();
    for (var k = 0u; k < QUADS; k++) {
        let at = k * WORKGROUP_SIZE + place;
        let quad = quads[min(tile.first_quad + at, last)];
        if (at >= first_whole && at < end_whole) {
            total = append_quad(total, quad, index + ELEMENTS_PER_QUAD * at);
        }
    }
    total = settle(total);
    if (tile.first == 0u && tile.end == ELEMENTS_PER_QUAD * end_whole) {
        return total;
    }
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

// Brings a tile into workgroup memory.
fn load_tile(tile: Tile, place: u32) {
    let last = last_quad(tile);
    for (var k = 0u; k < QUADS; k++) {
        let at = k * WORKGROUP_SIZE + place;
        tile_quads[at] = quads[min(tile.first_quad + at, last)];
    }
    // A buffer may end inside a quad: who has loaded another for it brings the words that there are.
    let whole = parameters.words / 4u;
    let cut = whole - tile.first_quad;
    let is_cut = cut < TILE_QUADS && tile.end > cut * ELEMENTS_PER_QUAD;
    if (is_cut && cut % WORKGROUP_SIZE == place) {
        let end = max(parameters.words, 1u) - 1u;
        let first = 4u * whole;
        tile_quads[cut] = vec4<u32>(
            words[min(first, end)],
            words[min(first + 1u, end)],
            words[min(first + 2u, end)],
            words[min(first + 3u, end)],
        );
    }
}

// Where four segments begin and end, WORKGROUP_SIZE from one to the next.
struct Ends {
    first: u32,
    starts: vec4<u32>,
    ends: vec4<u32>,
}

const ENDS_AT_ONCE: u32 = 4u;

fn load_ends(tile: Tile, first: u32) -> Ends {
    let numbers = vec4<u32>(first) + WORKGROUP_SIZE * vec4<u32>(0u, 1u, 2u, 3u);
    let at = min(numbers, vec4<u32>(tile.end_segment - 1u));
    return Ends(
        first,
        vec4<u32>(offset_at(at.x), offset_at(at.y), offset_at(at.z), offset_at(at.w)),
        vec4<u32>(offset_at(at.x + 1u), offset_at(at.y + 1u), offset_at(at.z + 1u), offset_at(at.w + 1u)),
    );
}

// Marks a segment's last element, or leaves the result if it has none.
fn mark_end(tile: Tile, segment: u32, start: u32, end: u32) {
    if (segment >= tile.end_segment) {
        return;
    }
    if (start > end || end > parameters.len) {
        atomicStore(&report[0], 1u);
    }
    if (parameters.has_lengths != 0u) {
        atomicStore(&report[1u + segment], end - start);
    }
    if (start >= end) {
        results[parameters.first_slot + segment] = finish(identity());
        return;
    }
    let last = place_of_last(tile, start, end);
    if (last != NO_PLACE) {
        note_segment(last, segment);
        atomicOr(&marks_of[last / RUN], 1u << (last % RUN));
    }
}

fn mark_ends(tile: Tile, four: Ends) {
    mark_end(tile, four.first, four.starts.x, four.ends.x);
    mark_end(tile, four.first + WORKGROUP_SIZE, four.starts.y, four.ends.y);
    mark_end(tile, four.first + 2u * WORKGROUP_SIZE, four.starts.z, four.ends.z);
    mark_end(tile, four.first + 3u * WORKGROUP_SIZE, four.starts.w, four.ends.w);
}

// What a run has behind its last mark.
struct Run {
    closed: Closed,
    open: Acc,
    marks: u32,
}

// The place in a tile of a segment's last element, if it lies there; else NO_PLACE.
fn place_of_last(tile: Tile, start: u32, end: u32) -> u32 {
    let last = end - 1u - parameters.base_low - ELEMENTS_PER_QUAD * tile.first_quad;
    return select(NO_PLACE, last, start < end && last >= tile.first && last < tile.end);
}

// Whether more segments end in a tile than there are invocations.
fn has_more_ends(tile: Tile) -> bool {
    return agreed(tile.end_segment - tile.segment > WORKGROUP_SIZE);
}

// A tile in which segments end.
fn fold_cut(tile: Tile, me: Invocation, share: u32) {
    let place = place_of(me);
    let mine_at = tile.segment + place;
    let there = min(vec2<u32>(mine_at, mine_at + WORKGROUP_SIZE), vec2<u32>(tile.end_segment - 1u));
    let my_ends = vec4<u32>(
        offset_at(there.x), offset_at(there.x + 1u), offset_at(there.y), offset_at(there.y + 1u),
    );
    workgroupBarrier();
    load_tile(tile, place);
    atomicStore(&marks_of[place], 0u);
    if (place == 0u) {
        first_closed = NO_PLACE;
    }
    workgroupBarrier();
    mark_end(tile, mine_at, my_ends.x, my_ends.y);
    if (has_more_ends(tile)) {
        mark_end(tile, mine_at + WORKGROUP_SIZE, my_ends.z, my_ends.w);
        let stride = ENDS_AT_ONCE * WORKGROUP_SIZE;
        for (var k = tile.segment + 2u * WORKGROUP_SIZE; k < tile.end_segment; k += stride) {
            mark_ends(tile, load_ends(tile, k + place));
        }
    }
    workgroupBarrier();
    let run = fold_run(tile, place);
    let mine = Stretch(run.open, u32(run.marks != 0u));
    let carried = Stretch(carry, has_closed);
    let before = join(Stretch(carried.value, 0u), scan_before(mine, me));
    if (run.marks != 0u) {
        let at = RUN * place + firstTrailingBit(run.marks);
        let total = combine(before.value, first_of_run(run.closed, at));
        close_first(at, total, before.cut == 0u && carried.cut == 0u, share);
    }
    if (place == WORKGROUP_SIZE - 1u) {
        let after = join(before, mine);
        carry = after.value;
        has_closed = carried.cut | after.cut;
    }
    leave_closed(tile, mine_at, my_ends, share);
}

// Adds what invocations have of the open segment to the carry.
fn gather_open(open: Acc, me: Invocation) {
    workgroupBarrier();
    let total = combine_workgroup(open, me);
    if (leads(me)) {
        carry = combine(carry, total);
    }
}

fn reduce_workgroup(group: u32, me: Invocation) {
    if (group >= parameters.workgroups) {
        return;
    }
    let workgroup = part_of(group);
    let share = parameters.first_share + workgroup;
    if (leads(me)) {
        carry = identity();
        has_closed = select(0u, 1u, begins_alone(share));
    }
    let tiles = splits[parameters.first_split].x;
    let each = tiles / parameters.workgroups;
    let more = tiles % parameters.workgroups;
    let first = workgroup * each + min(workgroup, more);
    let end = first + each + select(0u, 1u, workgroup < more);
    let first_split = parameters.first_split + 1u;
    var before = splits[first_split + first];
    var behind = splits[first_split + min(first + 1u, tiles)];
    var open = identity();
    var is_open = false;
    for (var number = first; agreed(number < end); number++) {
        let next = splits[first_split + min(number + 2u, tiles)];
        let tile = tile_between(before, behind);
        before = behind;
        behind = next;
        if (agreed(tile.segment == tile.end_segment && !IN_ORDER)) {
            open = combine(open, fold_whole(tile, place_of(me)));
            is_open = true;
        } else {
            if (agreed(is_open)) {
                gather_open(open, me);
                open = identity();
                is_open = false;
            }
            fold_cut(tile, me, share);
        }
    }
    if (agreed(is_open)) {
        gather_open(open, me);
    }
    workgroupBarrier();
    hand_over(share, me);
}
