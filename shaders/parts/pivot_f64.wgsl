// What means and variances of f64 are counted from, as in pivot.wgsl.

fn bits_of_kept(value: Kept) -> Bits {
    return words_of_kept(value);
}

fn is_number(value: Kept) -> bool {
    return (words_of_kept(value).y & 0x7fffffffu) < 0x7ff00000u;
}

fn is_within(sum: Kept) -> bool {
    return (words_of_kept(sum).y & 0x7fffffffu) < 0x7fe00000u;
}

fn pivot_of(value: Kept) -> Kept {
    return select(closed(real(0.0)), value, is_number(value));
}

fn lowered(value: Kept, exponent: i32) -> Kept {
    let words = words_of_kept(value);
    let field = i32((words.y >> 20u) & 0x7ffu);
    let lower = vec2<u32>(words.x, words.y - (u32(exponent) << 20u));
    let number = select(vec2<u32>(0u, 0u), lower, field > exponent);
    return kept_of(select(number, words, field == 2047));
}

const FAR_EXPONENT: i32 = 700;
