// Elements whose places matter. In the loop over quads an operation keeps only where the four or two
// elements are that have the one it looks for; which of them it is comes out when all quads have been compared.

fn lift_one(value: Element, index: u32) -> Acc {
    return lift(value, index);
}

fn append_four(total: Acc, a: Element, b: Element, c: Element, d: Element, index: u32) -> Acc {
    return append(total, a, b, c, d, index);
}

// Whether a place stands for several elements, of which it is one.
fn is_to_be_found(place: Located) -> bool {
    return place.index_low != NOWHERE && is_in_quads(place.index_low);
}

// The one that is looked for, of the four elements of such a place, or two.
fn found_from(first: u32, which: u32) -> Located {
    var found = located_nowhere();
    for (var k = 0u; k < min(4u, ELEMENTS_PER_QUAD); k++) {
        found = located_first(found, locate(element_at(0u, first + k), first + k, which));
    }
    return found;
}
