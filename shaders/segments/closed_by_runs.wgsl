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
fn leave_closed(_tile: Tile, _mine: u32, _my_ends: vec4<u32>, _share: u32) {
}

// No tile has a way of its own: the code would be there twice.
fn is_full(_tile: Tile) -> bool {
    return false;
}

fn fold_full(_tile: Tile, _place: u32) -> Acc {
    return identity();
}

// What my run has so far.
struct Folded {
    closed: Closed,
    open: Acc,
}

// Adds an element; if it is a segment's last, closes that.
fn add(folded: Folded, value: Acc, at: u32, is_last: bool) -> Folded {
    var next = folded;
    next.open = combine(folded.open, value);
    if (is_last) {
        next.closed = close_segment(folded.closed, at, next.open);
        next.open = identity();
    }
    return next;
}

// Folds my run.
fn fold_run(tile: Tile, place: u32) -> Run {
    let start = RUN * place;
    let index = ELEMENTS_PER_QUAD * tile.first_quad;
    let marks = atomicLoad(&marks_of[place]);
    let is_whole = start >= tile.first && start + RUN <= tile.end;
    if (marks == 0u && is_whole) {
        var total = identity();
        for (var k = 0u; k < QUADS; k++) {
            let quad = tile_quads[QUADS * place + k];
            total = append_quad(total, quad, index + start + ELEMENTS_PER_QUAD * k);
        }
        return Run(nothing_closed(), settle(total), 0u);
    }
    var folded = Folded(nothing_closed(), identity());
    if (is_whole) {
        for (var k = 0u; k < QUADS; k++) {
            held = tile_quads[QUADS * place + k];
            for (var j = 0u; j < ELEMENTS_PER_QUAD; j++) {
                let in_run = ELEMENTS_PER_QUAD * k + j;
                let at = start + in_run;
                let value = lift_one(element_at(IN_QUAD, j), index + at);
                folded = add(folded, value, at, ((marks >> in_run) & 1u) != 0u);
            }
        }
    } else {
        let end = min(start + RUN, tile.end);
        for (var at = max(start, tile.first); at < end; at++) {
            let value = lift_one(element_at(IN_TILE, at), index + at);
            folded = add(folded, value, at, ((marks >> (at - start)) & 1u) != 0u);
        }
    }
    return Run(folded.closed, folded.open, marks);
}
