// One place is looked for.

fn append_two(total: Acc, a: Element, b: Element, index: u32) -> Acc {
    return append_pair(total, a, b, index);
}

fn settle(total: Acc) -> Acc {
    if (!is_to_be_found(total)) {
        return total;
    }
    return found_from(total.index_low, 0u);
}

// A tile begins with the place of its first quad, from which places count in it.
fn open_tile() -> Acc {
    return Acc(identity().key, 0u, 0u);
}

// What a tile has whose first quad has this index.
fn place_tile(total: Acc, first: u32) -> Acc {
    return Acc(total.key, total.index_low + first, 0u);
}
