// Squares of elements.

// Modulo 2^64 the sign does not matter.
fn square(value: Element) -> vec2<u32> {
    let wide = u64_of(vec2<u32>(low_word(value), high_word(value)));
    return words_of(wide * wide);
}

// The sum of four, 128 bits of it: lower and upper words are added apart, so that nothing is carried
// before the end.
fn squares_of_four(a: Element, b: Element, c: Element, d: Element) -> vec4<u32> {
    let of_a = square(a);
    let of_b = square(b);
    let of_c = square(c);
    let of_d = square(d);
    let low = (u64(of_a.x) + u64(of_b.x)) + (u64(of_c.x) + u64(of_d.x));
    let high = (u64(of_a.y) + u64(of_b.y)) + (u64(of_c.y) + u64(of_d.y));
    let upper = high + (low >> 32u);
    return vec4<u32>(u32(low), words_of(upper), 0u);
}
