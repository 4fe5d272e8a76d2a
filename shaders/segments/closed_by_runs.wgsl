// A segment that begins and ends in one run is left by whoever folds that, at once; the one that a run closes first
// after the scan. For accumulators of any size.

// By the place of a segment's last element in the tile.
var<workgroup> segment_of: array<u32, TILE_ELEMENTS>;

fn note_segment(last: u32, segment: u32) {
    segment_of[last] = segment;
}

// What a run has up to its first mark.
struct Closed {
    first: Acc,
    is_none: bool,
}

fn nothing_closed() -> Closed {
    return Closed(identity(), true);
}

fn close_segment(closed: Closed, at: u32, total: Acc) -> Closed {
    if (closed.is_none) {
        return Closed(total, false);
    }
    leave(segment_of[at], total, 0u - parameters.base_low);
    return closed;
}

fn first_of_run(closed: Closed, _at: u32) -> Acc {
    return closed.first;
}

fn close_first(at: u32, total: Acc, is_first: bool, share: u32) {
    if (is_first) {
        leave_first(segment_of[at], total, share);
    } else {
        leave(segment_of[at], total, 0u - parameters.base_low);
    }
}

// All have been left.
fn leave_closed(_tile: Tile, _mine: u32, _my_end: vec2<u32>, _share: u32) {
}

// No tile has a way of its own: the code would be there twice.
fn is_full(_tile: Tile) -> bool {
    return false;
}

fn fold_full(_tile: Tile, _place: u32) -> Acc {
    return identity();
}
