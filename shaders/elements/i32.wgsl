// i32: one word an element.

alias Element = i32;

fn element(word: u32) -> Element {
    return bitcast<i32>(word);
}

fn low_word(value: Element) -> u32 {
    return bitcast<u32>(value);
}

// The sign, shifted through a whole word.
fn high_word(value: Element) -> u32 {
    return bitcast<u32>(value >> 31u);
}
