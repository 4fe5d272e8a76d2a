// Powers of two that floats are divided by, here f64.

// The exponent field of a magnitude, that of subnormal numbers being 1.
fn exponent_of(magnitude: vec2<u32>) -> i32 {
    return max(i32(magnitude.y >> 20u), 1);
}

// 2^exponent where that is a normal number, 0 below.
fn power_of_two(exponent: i32) -> Real {
    return opened(kept_of(vec2<u32>(0u, u32(clamp(exponent + 1023, 0, 2046)) << 20u)));
}
