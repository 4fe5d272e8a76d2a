// One element in two words, the lower first.

const ELEMENTS_PER_QUAD: u32 = 2u;

fn element_at(input: u32, index: u32) -> Element {
    return element(vec2<u32>(word_of(input, 2u * index), word_of(input, 2u * index + 1u)));
}
