// Where accumulators are as large as elements, of one word: a run leaves in the place of each element what is open with
// it, so that the total of a segment stands where its last element stood.
//
//   each run: for each element: open <- combine(open, it); it <- open; if it is marked: open <- identity
//   after the scan: the first total of the run <- combine(before, it)
//   barrier; each segment that ends in the tile: leave the word at its last element
//
// An element is a quarter of a load and of a store of a quad, an addition, tests of two bits and two selections under
// them, and no branch, which a subgroup would take for almost every element of short segments. And neighbouring
// invocations leave the results of neighbouring segments.

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

fn leave_closed(tile: Tile, mine: u32, my_ends: vec4<u32>, share: u32) {
    workgroupBarrier();
    leave_end(tile, mine, my_ends.x, my_ends.y, share);
    if (!has_more_ends(tile)) {
        return;
    }
    leave_end(tile, mine + WORKGROUP_SIZE, my_ends.z, my_ends.w, share);
    let first = mine + 2u * WORKGROUP_SIZE;
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

// Bits [first, end) of a word, as far as it has them.
fn bits_between(first: u32, end: u32) -> u32 {
    let below = select((1u << (end & 31u)) - 1u, 0xffffffffu, end >= 32u);
    return below & select(0xffffffffu << (first & 31u), 0u, first >= 32u);
}

struct Step {
    open: Acc,
    word: u32,
}

fn step(open: Acc, word: u32, is_inside: bool, is_last: bool) -> Step {
    let total = select(open, combine(open, lift_one(element(word), 0u)), is_inside);
    return Step(select(total, identity(), is_last), acc_to_words(total)[0]);
}

// Which of the four bits from `first` on are set.
fn four_bits(bits: u32, first: u32) -> vec4<bool> {
    return (vec4<u32>(bits >> first) & vec4<u32>(1u, 2u, 4u, 8u)) != vec4<u32>(0u);
}

// Folds my run; in the place of each element then stands what is open with it.
fn fold_run(tile: Tile, place: u32) -> Run {
    let start = RUN * place;
    let marks = atomicLoad(&marks_of[place]);
    let inside = bits_between(max(tile.first, start) - start, max(tile.end, start) - start);
    var open = identity();
    for (var k = 0u; k < QUADS; k++) {
        let quad = tile_quads[QUADS * place + k];
        let are_inside = four_bits(inside, 4u * k);
        let are_last = four_bits(marks, 4u * k);
        let a = step(open, quad.x, are_inside.x, are_last.x);
        let b = step(a.open, quad.y, are_inside.y, are_last.y);
        let c = step(b.open, quad.z, are_inside.z, are_last.z);
        let d = step(c.open, quad.w, are_inside.w, are_last.w);
        tile_quads[QUADS * place + k] = vec4<u32>(a.word, b.word, c.word, d.word);
        open = d.open;
    }
    return Run(nothing_closed(), open, marks);
}
