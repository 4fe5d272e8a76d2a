// What means and variances of f64 are counted from, as in pivot.wgsl: all that is added up is f64.

alias Real = f64;

fn real_of(value: Element) -> Real {
    return widen(value);
}

fn bits_of_real(value: f64) -> Bits {
    return words_of_f64(value);
}

fn is_number(value: f64) -> bool {
    return (words_of_f64(value).y & 0x7fffffffu) < 0x7ff00000u;
}

fn is_within(sum: f64) -> bool {
    return (words_of_f64(sum).y & 0x7fffffffu) < 0x7fe00000u;
}

fn pivot_of(value: f64) -> f64 {
    return select(0.0, value, is_number(value));
}

// A 64-bit count, rounded.
fn weight_of(count: vec2<u32>) -> f64 {
    return f64(count.x) + f64(count.y) * 4294967296.0;
}

fn lowered(value: f64, exponent: i32) -> f64 {
    let words = words_of_f64(value);
    let field = i32((words.y >> 20u) & 0x7ffu);
    let lower = vec2<u32>(words.x, words.y - (u32(exponent) << 20u));
    let number = select(vec2<u32>(0u, 0u), lower, field > exponent);
    return widen(select(number, words, field == 2047));
}

const FAR_EXPONENT: i32 = 700;
const FAR_UNIT: f64 = 0x1p700lf;
