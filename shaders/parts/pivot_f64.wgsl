// What variances of f64 are counted from, as in pivot.wgsl: all that is added up is f64.

alias Real = f64;

fn real_of(value: Element) -> Real {
    return widen(value);
}

// The value, or 0 where it is no number or so large that squares of differences from it might overflow.
fn pivot_of(value: f64) -> f64 {
    return select(value, 0.0, (words_of_f64(value).y & 0x7fffffffu) >= 0x5ff00000u);
}

// A 64-bit count, rounded.
fn weight_of(count: vec2<u32>) -> f64 {
    return f64(count.x) + f64(count.y) * 4294967296.0;
}
