// Products of f64, as in significand.wgsl.

fn exponent_field(value: Kept) -> u32 {
    return (words_of_kept(value).y >> 20u) & 0x7ffu;
}

fn with_exponent_of_one(value: Kept) -> Kept {
    let words = words_of_kept(value);
    return kept_of(vec2<u32>(words.x, (words.y & 0x800fffffu) | 0x3ff00000u));
}

const FIELD_OF_ONE: u32 = 1023u;
const FIELD_OF_INFINITY: u32 = 2047u;

fn taken_apart(value: Element) -> Acc {
    let bits = magnitude(value);
    let is_subnormal = bits.y < 0x00100000u;
    let digits = words_of_kept(closed(real_of_words(bits)));
    let with_sign = kept_of(vec2<u32>(digits.x, digits.y | (value.y & 0x80000000u)));
    let number = select(kept_of(value), with_sign, is_subnormal);
    return normalized(select(0, -1074, is_subnormal && !is_zero(value)), number);
}

const ACC_WORDS: u32 = 4u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    let significand = words_of_kept(value.significand);
    return array<u32, ACC_WORDS>(
        value.exponent_low, value.exponent_high, significand.x, significand.y,
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(words[0], words[1], kept_of(vec2<u32>(words[2], words[3])));
}
