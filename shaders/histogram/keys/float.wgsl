// Keys of floats: those of `numbers/`, but -0 is +0.

fn key_of(value: Element) -> u32 {
    return select(order_key(value), 0x80000000u, is_zero(value));
}

// How far it is above the lowest edge.
fn distance(value: Element, _key: u32) -> f32 {
    return value - bitcast<f32>(parameters.places.origin);
}
