// An integer with 64 bits, as two limbs.

fn widen(value: Element) -> vec2<u32> {
    return vec2<u32>(low_word(value), high_word(value));
}

// A magnitude alike.
fn widen_bits(bits: Bits) -> vec2<u32> {
    return bits_to_words(bits);
}
