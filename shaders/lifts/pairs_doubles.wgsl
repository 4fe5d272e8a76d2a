// Elements of two words are lifted with their partners, pair by pair.

fn lift_pair(value: Element, partner: Element, _index: u32) -> Acc {
    return lift(value, partner);
}

// The word in which the element with an index begins, and how far up it lies there.
fn partner_word(index: u32) -> u32 {
    return 2u * index;
}

fn partner_shift(_index: u32) -> u32 {
    return 0u;
}

fn lift_quads(quad: vec4<u32>, partners: vec4<u32>) -> Acc {
    return combine(
        lift(element(quad.xy), element(partners.xy)), lift(element(quad.zw), element(partners.zw)),
    );
}
