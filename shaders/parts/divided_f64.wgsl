// Numbers divided by powers of two, as in divided_f32.wgsl.

fn divided(value: Element, exponent: i32) -> Element {
    return words_of_f64(widen(value) * power_of_two(1024 - exponent));
}

fn lowered(value: f64, exponent: i32) -> f64 {
    let words = words_of_f64(value);
    let is_normal = i32((words.y >> 20u) & 0x7ffu) > exponent;
    let lower = vec2<u32>(words.x, words.y - (u32(exponent) << 20u));
    return widen(select(vec2<u32>(0u, 0u), lower, is_normal));
}
