// u32: one word an element.

alias Element = u32;

fn element(word: u32) -> Element {
    return word;
}

fn low_word(value: Element) -> u32 {
    return value;
}

fn high_word(_value: Element) -> u32 {
    return 0u;
}
