// Segments, first pass: where the tiles of one window begin.
//
// The work is the merge of two ordered lists: the ends of the segments, and the numbers of the elements.
// An end comes before the element with its own number. A tile is TILE consecutive items of the merge, of
// which kind they may be, so that a million empty segments and a million elements cost alike.
//
//   for each tile: find by a search how many ends are among the items before it
//   clear what the second pass hands over, if it must be
//
// (Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication", SC16.) How the code
// differs from that, and why:
//  1. An end directly behind the last element before a tile moves into the tile before, so that whoever has
//     the last element of a segment has its end, too. A tile may have one end more for it.
//  2. Offsets may be anything. All that depends on them are bounds of searches, and those are clamped.
//  3. A tile that begins inside a segment begins with a whole quad, unless the segment begins in that quad,
//     too: then tiles in long segments are quads alone. The elements in front go to the tile before.
//  4. How many items there are is known here alone: the offsets may cover a part of the input.
//  5. A step of the search looks at PROBES places at once, because it takes as long as a load, however many there are.

override WORKGROUP_SIZE: u32 = 64u;

struct Parameters {
    // Elements of the input that the window holds.
    window_first: u32,
    window_end: u32,
    // Elements of the input, and segments at most.
    len: u32,
    most_segments: u32,
    // Where the offsets begin behind their binding.
    first_offset: u32,
    // Items of a tile, and tiles at most.
    tile: u32,
    most_tiles: u32,
    // Where the window's entry begins in `splits`.
    first_split: u32,
    // Whether the number of segments lies in `count`, and where.
    is_counted: u32,
    first_count: u32,
    // The index of the binding's first element, modulo 2^32, and how many elements a quad has.
    base: u32,
    per_quad: u32,
    // Words of what is cleared for the second pass.
    share_words: u32,
}

@group(0) @binding(2) var<storage, read_write> splits: array<vec2<u32>>;
@group(0) @binding(3) var<uniform> parameters: Parameters;
@group(0) @binding(4) var<storage, read_write> report: array<u32>;
@group(0) @binding(6) var<storage, read> offsets: array<u32>;
@group(0) @binding(8) var<storage, read> count: array<u32>;

fn end_of(segment: u32) -> u32 {
    return offsets[parameters.first_offset + segment + 1u];
}

// How many of the first `segments` segments end at `element` or before.
fn ends_until(element: u32, segments: u32) -> u32 {
    var low = 0u;
    var high = segments;
    while (low < high) {
        let middle = low + (high - low) / 2u;
        if (end_of(middle) <= element) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// The items of the window: elements and segments.
struct Items {
    first_element: u32,
    elements: u32,
    first_segment: u32,
    segments: u32,
}

fn items_of(segments: u32) -> Items {
    let covered_first = min(offsets[parameters.first_offset], parameters.len);
    let covered_end = clamp(offsets[parameters.first_offset + segments], covered_first, parameters.len);
    let first = clamp(covered_first, parameters.window_first, parameters.window_end);
    let end = clamp(covered_end, parameters.window_first, parameters.window_end);
    var first_segment = 0u;
    var end_segment = segments;
    if (parameters.window_first > 0u) {
        first_segment = ends_until(parameters.window_first, segments);
    }
    if (parameters.window_end < parameters.len) {
        end_segment = max(first_segment, ends_until(parameters.window_end, segments));
    }
    return Items(first, end - first, first_segment, end_segment - first_segment);
}

const PROBES: u32 = 8u;

// The k-th place that is looked at among so many; of up to PROBES all are.
fn probe(range: u32, k: u32) -> u32 {
    return range / PROBES * k + range % PROBES * k / PROBES;
}

// First element and first segment behind so many items.
fn split_at(items: Items, before: u32) -> vec2<u32> {
    var low = before - min(before, items.elements);
    var high = min(before, items.segments);
    while (low < high) {
        let range = high - low;
        // Probes that are among the items before the tile: the first ones, if offsets are in order.
        var count = 0u;
        for (var k = 0u; k < PROBES; k++) {
            let at = low + probe(range, k);
            let end = end_of(items.first_segment + at);
            count += u32(end <= items.first_element + (before - 1u - at));
        }
        high = select(low + probe(range, count), high, count == PROBES);
        low = select(low, low + probe(range, max(count, 1u) - 1u) + 1u, count > 0u);
    }
    var element = items.first_element + (before - low);
    var segment = items.first_segment + low;
    if (before > 0u && low < items.segments && end_of(segment) == element) {
        segment += 1u;
    }
    if (before > 0u && before < items.elements + items.segments) {
        let of_quad = (element - parameters.base) % parameters.per_quad;
        let start = max(offsets[parameters.first_offset + segment], items.first_element);
        if (element - start >= of_quad && element > start) {
            element -= of_quad;
        }
    }
    return vec2<u32>(element, segment);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let mine = (workgroup.x + workgroup.y * workgroups.x) * WORKGROUP_SIZE + local;
    let stride = workgroups.x * workgroups.y * WORKGROUP_SIZE;
    var segments = parameters.most_segments;
    if (parameters.is_counted != 0u) {
        segments = min(segments, count[parameters.first_count]);
    }
    let items = items_of(segments);
    let total = items.elements + items.segments;
    let tiles = min((total + parameters.tile - 1u) / parameters.tile, parameters.most_tiles);
    if (mine == 0u) {
        // Without segments nobody else looks at the only offset.
        report[0] = u32(offsets[parameters.first_offset + segments] > parameters.len);
        splits[parameters.first_split] = vec2<u32>(tiles, segments);
    }
    clear(mine, stride);
    for (var tile = mine; tile <= tiles; tile += stride) {
        let before = min(tile * parameters.tile, total);
        splits[parameters.first_split + 1u + tile] = split_at(items, before);
    }
}
