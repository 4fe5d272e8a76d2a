// Elements that come before the rank, or it alone, are in the input.

// Whether an element with this key is.
fn is_sought(_key: Bits) -> bool {
    return true;
}

fn body_to_take() -> vec2<u32> {
    if (IS_ALONE) {
        return quads_between(known_place, add64(known_place, vec2<u32>(1u, 0u)));
    }
    return vec2<u32>(parameters.body_first, parameters.body_end);
}
