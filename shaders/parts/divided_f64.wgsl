// Numbers divided by powers of two, as in divided_f32.wgsl.

fn divided(value: Element, exponent: i32) -> Element {
    return words_of_kept(closed(times(opened(kept_of(value)), power_of_two(1024 - exponent))));
}
