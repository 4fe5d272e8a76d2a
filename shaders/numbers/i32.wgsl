// Elements that are i32.

alias Element = i32;

// Whether numbers have a sign, so that two squares have room in 64 bits.
const HAVE_SIGN: bool = true;

fn bits_of(value: Element) -> Bits {
    return bitcast<u32>(value);
}

fn low_word(value: Element) -> u32 {
    return bitcast<u32>(value);
}

// The sign, shifted through a whole word.
fn high_word(value: Element) -> u32 {
    return bitcast<u32>(value >> 31u);
}

// Without the sign; 2^31 for the least number.
fn magnitude(value: Element) -> Bits {
    let sign = high_word(value);
    return (low_word(value) ^ sign) - sign;
}

// The number itself; of numbers without a sign, what 2^31 is taken from.
fn centred(value: Element) -> i32 {
    return value;
}

fn is_zero(value: Element) -> bool {
    return value == 0;
}

fn is_nan(_value: Element) -> bool {
    return false;
}

fn order_key(value: Element) -> Bits {
    return low_word(value) ^ 0x80000000u;
}

fn bits_of_key(key: Bits) -> Bits {
    return key ^ 0x80000000u;
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
