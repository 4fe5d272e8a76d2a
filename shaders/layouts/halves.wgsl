// Two elements in a word, the first in its lower half.

const ELEMENTS_PER_QUAD: u32 = 8u;

fn element_at(input: u32, index: u32) -> Element {
    return element(word_of(input, index >> 1u) >> (16u * (index & 1u)));
}

fn lift_words(a: u32, b: u32, index: u32) -> Acc {
    return lift_four(element(a), element(a >> 16u), element(b), element(b >> 16u), index);
}

fn lift_quad(quad: vec4<u32>, index: u32) -> Acc {
    return combine(lift_words(quad.x, quad.y, index), lift_words(quad.z, quad.w, index + 4u));
}
