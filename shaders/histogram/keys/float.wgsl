// Keys of floats: those of `numbers/`, but -0 is +0.

fn key_of(value: Element) -> Bits {
    return select(order_key(value), 0x80000000u, is_zero(value));
}

// How far it is from zero.
fn distance(value: Element) -> f32 {
    return value;
}

// Whether the distance is right.
fn has_distance(_value: Element) -> bool {
    return true;
}
