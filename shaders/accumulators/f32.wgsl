// The accumulator arithmetic of f32: its own.

alias Wide = f32;

fn wide_zero() -> Wide {
    return 0.0;
}

fn wide_add(a: Wide, b: Wide) -> Wide {
    return a + b;
}
