// The places of the lowest and of the highest element are looked for, beside figures of all.

fn append_two(total: Acc, a: Element, b: Element, index: u32) -> Acc {
    return append_pair(total, a, b, index);
}

fn settle(total: Acc) -> Acc {
    return Acc(found(total.lowest, 0u), found(total.highest, 1u), total.figures);
}

// Of a tile whose first quad has this index.
fn open_tile(index: u32) -> Acc {
    let none = identity();
    return Acc(
        Located(none.lowest.key, index, 0u), Located(none.highest.key, index, 0u), none.figures,
    );
}
