// Elements are lifted with their partners, pair by pair.

fn lift_pair(value: Element, partner: Element, _index: u32) -> Acc {
    return lift(value, partner);
}

const ELEMENTS_PER_WORD: u32 = ELEMENTS_PER_QUAD / 4u;
const ELEMENT_BITS: u32 = 32u / ELEMENTS_PER_WORD;

// The word in which the element with an index begins, and how far up it lies there.
fn partner_word(index: u32) -> u32 {
    return index / ELEMENTS_PER_WORD;
}

fn partner_shift(index: u32) -> u32 {
    return (index % ELEMENTS_PER_WORD) * ELEMENT_BITS;
}

fn lift_words(word: u32, partners: u32) -> Acc {
    var total = lift(element(word), element(partners));
    for (var k = 1u; k < ELEMENTS_PER_WORD; k++) {
        let up = k * ELEMENT_BITS;
        total = combine(total, lift(element(word >> up), element(partners >> up)));
    }
    return total;
}

fn lift_quads(quad: vec4<u32>, partners: vec4<u32>) -> Acc {
    return combine(
        combine(lift_words(quad.x, partners.x), lift_words(quad.y, partners.y)),
        combine(lift_words(quad.z, partners.z), lift_words(quad.w, partners.w)),
    );
}
