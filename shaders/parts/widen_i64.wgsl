// An integer with 64 bits, as two limbs.

fn widen(value: Element) -> vec2<u32> {
    return vec2<u32>(low_word(value), high_word(value));
}
