// i32: its word.

fn element(word: u32) -> Element {
    return bitcast<i32>(word);
}
