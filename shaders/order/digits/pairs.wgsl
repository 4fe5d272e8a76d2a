// Digits of keys of two words, the lower first.

const KEY_BITS: u32 = 64u;

// The bits from one on, of fewer than a key has.
fn bits_above(key: Bits, shift: u32) -> Bits {
    let of_upper = vec2<u32>(key.y >> (shift % 32u), 0u);
    let carried = select(key.y << ((32u - shift) % 32u), 0u, shift == 0u);
    let of_both = vec2<u32>((key.x >> (shift % 32u)) | carried, key.y >> (shift % 32u));
    return select(of_both, of_upper, shift >= 32u);
}

fn with_digit(key: Bits, digit: u32, shift: u32) -> Bits {
    let lower = vec2<u32>(digit << (shift % 32u), select(digit >> ((32u - shift) % 32u), 0u, shift == 0u));
    let upper = vec2<u32>(0u, digit << (shift % 32u));
    return key | select(lower, upper, shift >= 32u);
}
