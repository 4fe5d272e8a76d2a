// Elements that are i64, as two words, the lower first.

alias Element = vec2<u32>;

fn bits_of(value: Element) -> Bits {
    return value;
}

fn low_word(value: Element) -> u32 {
    return value.x;
}

fn high_word(value: Element) -> u32 {
    return value.y;
}

// The sign, shifted through a whole word.
fn sign_word(value: Element) -> u32 {
    return bitcast<u32>(bitcast<i32>(value.y) >> 31u);
}

// Without the sign; 2^63 for the least number.
fn magnitude(value: Element) -> Bits {
    let sign = sign_word(value);
    let turned = value ^ vec2<u32>(sign, sign);
    let low = turned.x - sign;
    // Where the sign was set, one was added, and carries out of a word that becomes zero.
    return vec2<u32>(low, turned.y + select(0u, 1u, low < turned.x));
}

fn is_zero(value: Element) -> bool {
    return (value.x | value.y) == 0u;
}

fn is_nan(_value: Element) -> bool {
    return false;
}

fn order_key(value: Element) -> Bits {
    return vec2<u32>(value.x, value.y ^ 0x80000000u);
}

fn bits_of_key(key: Bits) -> Bits {
    return vec2<u32>(key.x, key.y ^ 0x80000000u);
}

fn is_nan_key(_key: Bits) -> bool {
    return false;
}

fn floored_key(key: Bits) -> Bits {
    return key;
}

fn capped_key(key: Bits) -> Bits {
    return key;
}
