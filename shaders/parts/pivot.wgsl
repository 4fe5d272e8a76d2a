// What means and variances are counted from: a number near the data, so that what is left to add up
// is small and rounds little. Here all that is added up is f32.

alias Real = f32;

fn real_of(value: Element) -> Real {
    return value;
}

// The value, or 0 where it is no number or so large that differences from it might overflow.
fn pivot_of(value: f32) -> f32 {
    return select(value, 0.0, (bitcast<u32>(value) & 0x7fffffffu) >= 0x5f800000u);
}

// A 64-bit count, rounded.
fn weight_of(count: vec2<u32>) -> f32 {
    return f32(count.x) + f32(count.y) * 4294967296.0;
}
