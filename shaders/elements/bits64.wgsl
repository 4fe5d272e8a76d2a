// i64, u64 and f64: their two words, the lower first.

fn element(words: vec2<u32>) -> Element {
    return words;
}
