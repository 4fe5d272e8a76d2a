// Numbers divided by powers of two.

// The element divided by the power of two that brings the largest magnitude with this exponent to between 2 and 4. A device may take
// a subnormal one for 0.
fn divided(value: Element, exponent: i32) -> Element {
    return value * power_of_two(128 - exponent);
}

// The number divided by 2^exponent, which is no less than 1; 0 where that is no normal number. Its bits are changed, since compilers
// take a common factor out of sums, which then round.
fn lowered(value: f32, exponent: i32) -> f32 {
    let bits = bitcast<u32>(value);
    let is_normal = i32((bits >> 23u) & 0xffu) > exponent;
    return bitcast<f32>(select(0u, bits - (u32(exponent) << 23u), is_normal));
}
