// Two elements in a word, the first in its lower half.

const ELEMENTS_PER_QUAD: u32 = 8u;

fn element_at(input: u32, index: u32) -> Element {
    return element(word_of(input, index >> 1u) >> (16u * (index & 1u)));
}
