// Elements whose places matter. In the loop over quads an operation keeps only where the four or two
// elements are that have the one it looks for; which of them it is comes out when all quads have been compared.

fn lift_one(value: Element, index: u32) -> Acc {
    return lift(value, index);
}

fn append_four(total: Acc, a: Element, b: Element, c: Element, d: Element, index: u32) -> Acc {
    return append(total, a, b, c, d, index);
}

// What is at the place of one of four, or two, found among them.
fn found(place: Located, which: u32) -> Located {
    if (place.index_low == NOWHERE || !is_in_quads(place.index_low)) {
        return place;
    }
    var first = located_nowhere();
    for (var k = 0u; k < min(4u, ELEMENTS_PER_QUAD); k++) {
        let index = place.index_low + k;
        first = located_first(first, locate(element_at(0u, index), index, which));
    }
    return first;
}
