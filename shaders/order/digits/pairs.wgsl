// Digits of keys of two words, the lower first.

const KEY_BITS: u32 = 64u;

// Whether the largest element is the first.
override TURNED: bool = false;

// The bits from one on, of fewer than a key has.
fn bits_above(key: Bits, shift: u32) -> Bits {
    return above64(key, shift);
}

fn with_digit(key: Bits, digit: u32, shift: u32) -> Bits {
    let lower = vec2<u32>(digit << (shift % 32u), select(digit >> ((32u - shift) % 32u), 0u, shift == 0u));
    let upper = vec2<u32>(0u, digit << (shift % 32u));
    return key | select(lower, upper, shift >= 32u);
}

// Keys for the order that begins with the largest element.
fn turned(key: Bits) -> Bits {
    return select(key, ~key, TURNED);
}

// A key of which only the bits that tell elements apart are there: all do.
fn with_unused(key: Bits) -> Bits {
    return key;
}

fn key_minus(a: Bits, b: Bits) -> Bits {
    return minus64(a, b);
}

fn key_plus(a: Bits, b: Bits) -> Bits {
    return add64(a, b);
}

// How many bits there are up to the highest that is set.
fn key_bits(key: Bits) -> u32 {
    return select(64u - countLeadingZeros(key.y), 32u - countLeadingZeros(key.x), key.y == 0u);
}
