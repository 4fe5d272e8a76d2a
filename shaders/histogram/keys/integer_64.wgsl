// Keys of integers with 64 bits: those of `numbers/`.

fn key_of(value: Element) -> Bits {
    return order_key(value);
}

// How far it is above the lowest edge, of which digits beyond 32 are cut off.
fn distance(value: Element) -> f32 {
    let key = key_of(value);
    let lowest = lowest_key();
    let low = key.x - lowest.x;
    let high = key.y - lowest.y - select(0u, 1u, key.x < lowest.x);
    let up = min(countLeadingZeros(high), 31u);
    // Shifted in two steps, since none is by 32.
    let top = select((high << up) | ((low >> 1u) >> (31u - up)), low, high == 0u);
    let unit = bitcast<f32>((159u - up) << 23u);
    return f32(top) * select(unit, 1.0, high == 0u);
}

// Whether the distance is right.
fn has_distance(value: Element) -> bool {
    let key = key_of(value);
    return !bits_less(key, lowest_key()) && !bits_less(highest_key(), key);
}
