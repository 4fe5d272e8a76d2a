// Keys of integers: those of `numbers/`.

fn key_of(value: Element) -> u32 {
    return order_key(value);
}

// How far it is above the lowest edge.
fn distance(_value: Element, key: u32) -> f32 {
    return f32(key - parameters.places.lowest);
}
