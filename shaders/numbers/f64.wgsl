// Elements that are f64, as the two words of their bits, the lower first: what a number is like is read
// from these, so that the device need not have f64.

alias Element = vec2<u32>;

// The bits without the sign: ordered as magnitudes are, infinity next to last and NaN last.
fn magnitude(value: Element) -> Bits {
    return vec2<u32>(value.x, value.y & 0x7fffffffu);
}

fn is_zero(value: Element) -> bool {
    return (value.x | (value.y & 0x7fffffffu)) == 0u;
}

fn is_nan(value: Element) -> bool {
    return bits_less(vec2<u32>(0u, 0x7ff00000u), magnitude(value));
}

// Ordered as numbers are: -inf, ..., -0, +0, ..., +inf. No number has the key 0 or the largest one.
fn order_key(value: Element) -> Bits {
    let sign = bitcast<u32>(bitcast<i32>(value.y) >> 31u);
    return value ^ vec2<u32>(sign, sign | 0x80000000u);
}

// The bits of the number with a key; of a NaN where no number has it.
fn bits_of_key(key: Bits) -> Bits {
    let positive = vec2<u32>(key.x, key.y ^ 0x80000000u);
    let bits = select(~key, positive, key.y >= 0x80000000u);
    return select(bits, nan_bits(), is_nan_key(key));
}

fn is_nan_key(key: Bits) -> bool {
    let below = bits_less(key, vec2<u32>(0xffffffffu, 0x000fffffu));
    let above = bits_less(vec2<u32>(0u, 0xfff00000u), key);
    return below || above;
}

// Leaves the key as it is, but makes one of all NaN with a sign: the highest that is below those of numbers.
fn floored_key(key: Bits) -> Bits {
    return bits_max(key, vec2<u32>(0xfffffffeu, 0x000fffffu));
}

// Leaves the key as it is, but makes one of all NaN without a sign: the lowest that is above those of numbers.
fn capped_key(key: Bits) -> Bits {
    return bits_min(key, vec2<u32>(1u, 0xfff00000u));
}
