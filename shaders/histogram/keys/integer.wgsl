// Keys of integers: those of `numbers/`.

fn key_of(value: Element) -> Bits {
    return order_key(value);
}

// How far it is above the lowest edge.
fn distance(value: Element) -> f32 {
    return f32(key_of(value) - parameters.places.lowest);
}

// Whether the distance is right.
fn has_distance(value: Element) -> bool {
    return key_of(value) - parameters.places.lowest <= parameters.places.highest - parameters.places.lowest;
}
