// Digits of keys of one word.

const KEY_BITS: u32 = 32u;

// Whether the largest element is the first.
override TURNED: bool = false;

// The bits from one on, of fewer than a key has.
fn bits_above(key: Bits, shift: u32) -> Bits {
    return key >> shift;
}

fn with_digit(key: Bits, digit: u32, shift: u32) -> Bits {
    return key | (digit << shift);
}

// Keys for the order that begins with the largest element.
fn turned(key: Bits) -> Bits {
    return select(key, key ^ ~((1u << UNUSED) - 1u), TURNED);
}

// A key of which only the bits that tell elements apart are there.
fn with_unused(key: Bits) -> Bits {
    return key << UNUSED;
}

fn key_minus(a: Bits, b: Bits) -> Bits {
    return a - b;
}

fn key_plus(a: Bits, b: Bits) -> Bits {
    return a + b;
}

// How many bits there are up to the highest that is set.
fn key_bits(key: Bits) -> u32 {
    return 32u - countLeadingZeros(key);
}
