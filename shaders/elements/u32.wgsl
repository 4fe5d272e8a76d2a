// u32: one word an element, accumulated in 64 bits.

alias Element = u32;

fn element(word: u32) -> Element {
    return word;
}

fn widen(value: Element) -> Wide {
    return vec2<u32>(value, 0u);
}
