// Powers of two that floats are divided by, here f32.

// The exponent field of a magnitude, that of subnormal numbers being 1.
fn exponent_of(magnitude: u32) -> i32 {
    return max(i32(magnitude >> 23u), 1);
}

// 2^exponent where that is a normal number, 0 below.
fn power_of_two(exponent: i32) -> f32 {
    return bitcast<f32>(u32(clamp(exponent + 127, 0, 254)) << 23u);
}
