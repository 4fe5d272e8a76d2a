// One element in a word.

const ELEMENTS_PER_QUAD: u32 = 4u;

fn element_at(input: u32, index: u32) -> Element {
    return element(word_of(input, index));
}

fn append_quad(total: Acc, quad: vec4<u32>, index: u32) -> Acc {
    return append_four(
        total, element(quad.x), element(quad.y), element(quad.z), element(quad.w), index,
    );
}
