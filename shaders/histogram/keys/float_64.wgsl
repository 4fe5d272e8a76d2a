// Keys of f64: those of `numbers/`, but -0 is +0.

fn key_of(value: Element) -> Bits {
    return select(order_key(value), vec2<u32>(0u, 0x80000000u), is_zero(value));
}

// How far it is from zero, in the digits that f32 has; what lies between two of these is the one that is nearer to zero. Below them
// it is 0, and above them the largest.
fn distance(value: Element) -> f32 {
    let exponent = i32((value.y >> 20u) & 0x7ffu) - 896;
    let fraction = ((value.y & 0xfffffu) << 3u) | (value.x >> 29u);
    let number = select(0u, (u32(exponent) << 23u) | fraction, exponent > 0);
    let magnitude = select(number, 0x7f7fffffu, exponent >= 255);
    return bitcast<f32>(magnitude | (value.y & 0x80000000u));
}

// Whether the distance is right.
fn has_distance(value: Element) -> bool {
    return !is_nan(value);
}
