// What means and variances are counted from: a number near the data, so that what is left to add up
// is small and rounds little. Here all that is added up is f32.

fn bits_of_kept(value: f32) -> Bits {
    return bitcast<u32>(value);
}

// Whether it is neither infinite nor NaN.
fn is_number(value: f32) -> bool {
    return (bitcast<u32>(value) & 0x7fffffffu) < 0x7f800000u;
}

// Whether a sum is so far within the range that no step of it was beyond. It is no test for infinity, which a compiler may take to
// be none: NVIDIA's does so for sums of f64.
fn is_within(sum: f32) -> bool {
    return (bitcast<u32>(sum) & 0x7fffffffu) < 0x7f000000u;
}

// The value, or 0 where it is no number.
fn pivot_of(value: f32) -> f32 {
    return select(0.0, value, is_number(value));
}

// The number divided by 2^exponent, which is no less than 1; 0 where that is no normal number, and itself where it is infinite or NaN. Its
// bits are changed, since compilers take a common factor out of sums, which then round or are beyond f32.
fn lowered(value: f32, exponent: i32) -> f32 {
    let bits = bitcast<u32>(value);
    let field = i32((bits >> 23u) & 0xffu);
    let lower = select(0u, bits - (u32(exponent) << 23u), field > exponent);
    return bitcast<f32>(select(lower, bits, field == 255));
}

// Far distances are divided by 2^88. No sum of their squares is beyond f32 then.
const FAR_EXPONENT: i32 = 88;
