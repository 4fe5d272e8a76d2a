// Elements that are u32.

alias Element = u32;

fn low_word(value: Element) -> u32 {
    return value;
}

fn high_word(_value: Element) -> u32 {
    return 0u;
}

fn magnitude(value: Element) -> u32 {
    return value;
}

fn is_zero(value: Element) -> bool {
    return value == 0u;
}

fn is_nan(_value: Element) -> bool {
    return false;
}

fn order_key(value: Element) -> u32 {
    return value;
}

fn word_of_key(key: u32) -> u32 {
    return key;
}

fn is_nan_key(_key: u32) -> bool {
    return false;
}
