// Products of f32: how a number is taken apart, and the words of a product.

// The exponent field of a number, and the number with that of 1.
fn exponent_field(value: f32) -> u32 {
    return (bitcast<u32>(value) >> 23u) & 0xffu;
}

fn with_exponent_of_one(value: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(value) & 0x807fffffu) | 0x3f800000u);
}

const FIELD_OF_ONE: u32 = 127u;
const FIELD_OF_INFINITY: u32 = 255u;

// The element as a significand and an exponent. Devices may take subnormal numbers for 0, so those are made of their digits.
fn taken_apart(value: Element) -> Acc {
    let bits = magnitude(value);
    let is_subnormal = bits < 0x00800000u;
    let digits = f32(select(0u, bits, is_subnormal));
    let number = select(value, select(digits, -digits, bitcast<u32>(value) >= 0x80000000u), is_subnormal);
    return normalized(select(0, -149, is_subnormal && bits > 0u), number);
}

const ACC_WORDS: u32 = 3u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(
        value.exponent_low, value.exponent_high, bitcast<u32>(value.significand),
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(words[0], words[1], bitcast<f32>(words[2]));
}
