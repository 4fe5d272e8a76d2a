// bf16: the lower half of a word becomes the upper half of an f32, or of the bits of one for exact sums.

fn element(bits: u32) -> Element {
    return bitcast<Element>(bits << 16u);
}
