// f32: one word an element, accumulated as f32.

alias Element = f32;

fn element(word: u32) -> Element {
    return bitcast<f32>(word);
}

fn widen(value: Element) -> Wide {
    return value;
}
