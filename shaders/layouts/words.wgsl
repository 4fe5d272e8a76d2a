// One element in a word.

const ELEMENTS_PER_QUAD: u32 = 4u;

fn element_at(input: u32, index: u32) -> Element {
    return element(word_of(input, index));
}
