// Numbers divided by powers of two, as in divided_f32.wgsl.

fn divided(value: Element, exponent: i32) -> Element {
    return words_of_f64(widen(value) * power_of_two(1024 - exponent));
}
