// u32: its word.

fn element(word: u32) -> Element {
    return word;
}
