// Elements that are f32. What a number is like is read from its bits, because compilers may assume
// that there is neither NaN nor infinity.

alias Element = f32;

// The bits without the sign: ordered as magnitudes are, infinity next to last and NaN last.
fn magnitude(value: Element) -> Bits {
    return bitcast<u32>(value) & 0x7fffffffu;
}

fn is_zero(value: Element) -> bool {
    return magnitude(value) == 0u;
}

fn is_nan(value: Element) -> bool {
    return magnitude(value) > 0x7f800000u;
}

// Ordered as numbers are: -inf, ..., -0, +0, ..., +inf. No number has the key 0 or the largest one.
fn order_key(value: Element) -> Bits {
    let bits = bitcast<u32>(value);
    return bits ^ (bitcast<u32>(bitcast<i32>(bits) >> 31u) | 0x80000000u);
}

// The bits of the number with a key; of a NaN where no number has it.
fn bits_of_key(key: Bits) -> Bits {
    let bits = select(~key, key ^ 0x80000000u, key >= 0x80000000u);
    return select(bits, nan_bits(), is_nan_key(key));
}

fn is_nan_key(key: Bits) -> bool {
    return key < 0x007fffffu || key > 0xff800000u;
}

// Leaves the key as it is, but makes one of all NaN with a sign: the highest that is below those of numbers.
fn floored_key(key: Bits) -> Bits {
    return bits_max(key, 0x007ffffeu);
}

// Leaves the key as it is, but makes one of all NaN without a sign: the lowest that is above those of numbers.
fn capped_key(key: Bits) -> Bits {
    return bits_min(key, 0xff800001u);
}
