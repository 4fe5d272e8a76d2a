// An integer of 64 bits with 128, as four limbs.

fn widen(value: Element) -> vec4<u32> {
    let sign = sign_word(value);
    return vec4<u32>(low_word(value), high_word(value), sign, sign);
}

// A magnitude alike.
fn widen_bits(bits: Bits) -> vec4<u32> {
    return vec4<u32>(bits_to_words(bits), 0u, 0u);
}
