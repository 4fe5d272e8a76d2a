// Elements that come before the rank were kept. Those with the wanted key were not, if it is a bound: they are in the input.

fn takes_entries() -> bool {
    return is_settled();
}

fn takes_input() -> bool {
    return !is_settled() || is_of_bound(known_key);
}

fn take_entry(before: Acc, key: Bits, at: u32) -> Acc {
    let place = kept_place(at);
    if (is_wanted(key, place)) {
        leave(place, key);
    }
    return before;
}

fn take_bounds(before: Acc, _local: u32) -> Acc {
    return before;
}

fn is_sought(key: Bits) -> bool {
    return !is_settled() || bits_same(key, known_key);
}

// Those with the wanted key end at the index that is known.
fn body_to_take() -> vec2<u32> {
    if (is_settled() && !is_each_wanted) {
        return quads_between(vec2<u32>(0u, 0u), add64(known_place, vec2<u32>(1u, 0u)));
    }
    return vec2<u32>(parameters.body_first, parameters.body_end);
}
