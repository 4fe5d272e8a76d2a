// The places of the lowest and of the highest element are looked for, beside figures of all.

fn append_two(total: Acc, a: Element, b: Element, index: u32) -> Acc {
    return append_pair(total, a, b, index);
}

// Both at once, since each is far away in memory: what is no quad's is asked for where the other is, and not taken.
fn settle(total: Acc) -> Acc {
    let is_low = is_to_be_found(total.lowest);
    let is_high = is_to_be_found(total.highest);
    if (!is_low && !is_high) {
        return total;
    }
    let low_at = select(total.highest.index_low, total.lowest.index_low, is_low);
    let high_at = select(total.lowest.index_low, total.highest.index_low, is_high);
    var lowest = found_from(low_at, 0u);
    var highest = found_from(high_at, 1u);
    if (!is_low) {
        lowest = total.lowest;
    }
    if (!is_high) {
        highest = total.highest;
    }
    return Acc(lowest, highest, total.figures);
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
