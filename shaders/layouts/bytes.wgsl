// Four elements in a word, the first in its lowest byte.

const ELEMENTS_PER_QUAD: u32 = 16u;

fn element_at(input: u32, index: u32) -> Element {
    return element(word_of(input, index >> 2u) >> (8u * (index & 3u)));
}

fn lift_bytes(word: u32, index: u32) -> Acc {
    return lift_four(
        element(word), element(word >> 8u), element(word >> 16u), element(word >> 24u), index,
    );
}

// A loop, because sixteen times the same is more code than compilers can take.
fn lift_quad(quad: vec4<u32>, index: u32) -> Acc {
    var total = lift_bytes(quad.x, index);
    for (var k = 1u; k < 4u; k++) {
        total = combine(total, lift_bytes(quad[k], index + 4u * k));
    }
    return total;
}
