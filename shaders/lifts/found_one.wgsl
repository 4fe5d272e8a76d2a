// One place is looked for.

// Twice the same is no other extreme.
fn append_two(total: Acc, a: Element, b: Element, index: u32) -> Acc {
    return append(total, a, a, b, b, index);
}

fn settle(total: Acc) -> Acc {
    return found(total, 0u);
}

// Of a tile whose first quad has this index.
fn open_tile(index: u32) -> Acc {
    return Acc(identity().key, index, 0u);
}
