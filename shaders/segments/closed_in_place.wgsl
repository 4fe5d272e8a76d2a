// Where accumulators are as large as elements, of one word: the total of a segment takes the place of its last element in
// the tile, which nobody needs any more.
//
//   each run: at a mark, its last element <- what is open
//   after the scan: the first of those <- combine(before, it)
//   barrier; each segment that ends in the tile: leave the word at its last element
//
// A store to workgroup memory under a condition is one instruction, where the way to a result is many, which a
// subgroup would go for almost every element of short segments. And neighbouring invocations leave the results of
// neighbouring segments.

fn note_segment(_last: u32, _segment: u32) {
}

fn put(at: u32, total: Acc) {
    tile_quads[at >> 2u][at & 3u] = acc_to_words(total)[0];
}

fn take(at: u32) -> Acc {
    return acc_from_words(array<u32, ACC_WORDS>(tile_quads[at >> 2u][at & 3u]));
}

// It lies in the tile.
struct Closed {
    is_there: u32,
}

fn nothing_closed() -> Closed {
    return Closed(0u);
}

fn close_segment(closed: Closed, at: u32, total: Acc) -> Closed {
    put(at, total);
    return closed;
}

fn first_of_run(_closed: Closed, at: u32) -> Acc {
    return take(at);
}

fn close_first(at: u32, total: Acc, is_first: bool, _share: u32) {
    put(at, total);
    if (is_first) {
        first_closed = at;
    }
}

fn leave_end(tile: Tile, segment: u32, start: u32, end: u32, share: u32) {
    let last = place_of_last(tile, start, end);
    if (segment >= tile.end_segment || last == NO_PLACE) {
        return;
    }
    if (last == first_closed) {
        leave_first(segment, take(last), share);
    } else {
        leave(segment, take(last), 0u - parameters.base_low);
    }
}

fn leave_closed(tile: Tile, mine: u32, my_end: vec2<u32>, share: u32) {
    workgroupBarrier();
    leave_end(tile, mine, my_end.x, my_end.y, share);
    let first = mine + WORKGROUP_SIZE;
    for (var segment = first; segment < tile.end_segment; segment += WORKGROUP_SIZE) {
        leave_end(tile, segment, offset_at(segment), offset_at(segment + 1u), share);
    }
}

// A tile of whole quads, all but the last round of which have one for every invocation.
fn is_full(tile: Tile) -> bool {
    let end_quad = tile.end / ELEMENTS_PER_QUAD;
    let is_whole = tile.first == 0u && tile.end == ELEMENTS_PER_QUAD * end_quad;
    return is_whole && end_quad >= (QUADS - 1u) * WORKGROUP_SIZE;
}

// Loads are under no condition, and but for the last round what is done with them is not, either.
fn fold_full(tile: Tile, place: u32) -> Acc {
    let index = ELEMENTS_PER_QUAD * tile.first_quad;
    let rest = (QUADS - 1u) * WORKGROUP_SIZE + place;
    let end_quad = tile.end / ELEMENTS_PER_QUAD;
    let last = quads[tile.first_quad + min(rest, end_quad - 1u)];
    var total = identity();
    for (var k = 0u; k < QUADS - 1u; k++) {
        let at = k * WORKGROUP_SIZE + place;
        total = append_quad(total, quads[tile.first_quad + at], index + ELEMENTS_PER_QUAD * at);
    }
    if (rest < end_quad) {
        total = append_quad(total, last, index + ELEMENTS_PER_QUAD * rest);
    }
    return total;
}
