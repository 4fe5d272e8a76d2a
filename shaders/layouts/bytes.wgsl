// Four elements in a word, the first in its lowest byte.

const ELEMENTS_PER_QUAD: u32 = 16u;

fn element_at(input: u32, index: u32) -> Element {
    return element(word_of(input, index >> 2u) >> (8u * (index & 3u)));
}
