// f32: one word an element.

alias Element = f32;

fn element(word: u32) -> Element {
    return bitcast<f32>(word);
}
