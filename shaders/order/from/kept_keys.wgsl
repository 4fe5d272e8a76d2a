// Keys are counted of elements that were kept, where the ranks are within brackets.

fn takes_input() -> bool {
    return !is_settled();
}

fn takes_entries() -> bool {
    return is_settled();
}

fn take_entry(before: Acc, key: Bits, _at: u32) -> Acc {
    return take_key(before, key, 1u);
}

fn take_bounds(before: Acc, local: u32) -> Acc {
    var taken = before;
    for (var bound = local; bound < 2u * BRACKETS; bound += WORKGROUP_SIZE) {
        let elements = elements_of_bound(bound);
        if (elements > 0u) {
            taken = take_key(taken, kept_bound(bound), elements);
        }
    }
    return taken;
}
