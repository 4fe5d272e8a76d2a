// Indices are counted of elements that were kept, where the wanted key is between bounds.

fn takes_entries() -> bool {
    return is_settled() && !is_of_bound(known_key);
}

fn takes_input() -> bool {
    return !takes_entries();
}

fn take_entry(before: Acc, key: Bits, at: u32) -> Acc {
    if (!is_each_wanted && bits_same(key, known_key)) {
        return take_alike(before, kept_place(at), 1u);
    }
    return before;
}

fn take_bounds(before: Acc, _local: u32) -> Acc {
    return before;
}
