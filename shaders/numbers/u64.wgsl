// Elements that are u64, as two words, the lower first.

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

fn sign_word(_value: Element) -> u32 {
    return 0u;
}

fn magnitude(value: Element) -> Bits {
    return value;
}

fn is_zero(value: Element) -> bool {
    return (value.x | value.y) == 0u;
}

fn is_nan(_value: Element) -> bool {
    return false;
}

fn order_key(value: Element) -> Bits {
    return value;
}

fn bits_of_key(key: Bits) -> Bits {
    return key;
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
