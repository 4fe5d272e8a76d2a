// One place is looked for.

// Twice the same is no other extreme.
fn append_two(total: Acc, a: Element, b: Element, index: u32) -> Acc {
    return append(total, a, a, b, b, index);
}

// What is at the place of one of four, or two, found among them.
fn settle(total: Acc) -> Acc {
    if (!is_to_be_found(total)) {
        return total;
    }
    var first = located_nowhere();
    for (var k = 0u; k < min(4u, ELEMENTS_PER_QUAD); k++) {
        let index = total.index_low + k;
        first = located_first(first, locate(element_at(0u, index), index, 0u));
    }
    return first;
}

// A tile begins with the place of its first quad, from which places count in it.
fn open_tile() -> Acc {
    return Acc(identity().key, 0u, 0u);
}

// What a tile has whose first quad has this index.
fn place_tile(total: Acc, first: u32) -> Acc {
    return Acc(total.key, total.index_low + first, 0u);
}
