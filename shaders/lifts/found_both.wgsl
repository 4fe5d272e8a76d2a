// The places of the lowest and of the highest element are looked for, beside figures of all.

fn append_two(total: Acc, a: Element, b: Element, index: u32) -> Acc {
    return append_pair(total, a, b, index);
}

fn settle(total: Acc) -> Acc {
    return Acc(found(total.lowest, 0u), found(total.highest, 1u), total.figures);
}

// A tile begins with the place of its first quad, from which places count in it.
fn open_tile() -> Acc {
    let none = identity();
    return Acc(Located(none.lowest.key, 0u, 0u), Located(none.highest.key, 0u, 0u), none.figures);
}

// What a tile has whose first quad has this index.
fn place_tile(total: Acc, first: u32) -> Acc {
    let lowest = Located(total.lowest.key, total.lowest.index_low + first, 0u);
    let highest = Located(total.highest.key, total.highest.index_low + first, 0u);
    return Acc(lowest, highest, total.figures);
}
