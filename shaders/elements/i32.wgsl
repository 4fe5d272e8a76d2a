// i32: one word an element, accumulated in 64 bits.

alias Element = i32;

fn element(word: u32) -> Element {
    return bitcast<i32>(word);
}

// The sign, shifted through a whole word, is the upper limb.
fn widen(value: Element) -> Wide {
    return vec2<u32>(bitcast<u32>(value), bitcast<u32>(value >> 31u));
}
