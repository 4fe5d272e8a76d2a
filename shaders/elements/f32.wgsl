// f32: its word.

fn element(word: u32) -> Element {
    return bitcast<f32>(word);
}
