// Elements are lifted with their partners, pair by pair.

fn lift_words(word: u32, partner: u32) -> Acc {
    return lift(element(word), element(partner));
}

fn lift_quads(quad: vec4<u32>, partners: vec4<u32>) -> Acc {
    return combine(
        combine(lift_words(quad.x, partners.x), lift_words(quad.y, partners.y)),
        combine(lift_words(quad.z, partners.z), lift_words(quad.w, partners.w)),
    );
}
