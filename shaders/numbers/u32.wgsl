// Elements that are u32.

alias Element = u32;

// Whether numbers have a sign, so that two squares have room in 64 bits.
const HAVE_SIGN: bool = false;

fn bits_of(value: Element) -> Bits {
    return value;
}

fn low_word(value: Element) -> u32 {
    return value;
}

fn high_word(_value: Element) -> u32 {
    return 0u;
}

fn magnitude(value: Element) -> Bits {
    return value;
}

// The number less 2^31, which has a sign; a number that has one is itself.
fn centred(value: Element) -> i32 {
    return bitcast<i32>(value ^ 0x80000000u);
}

fn is_zero(value: Element) -> bool {
    return value == 0u;
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
