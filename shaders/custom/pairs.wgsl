// What a first pass reads of two inputs: pairs of elements of one word each, and quads of pairs as
// units. The inputs may start anywhere: where the quads of the one are no whole quads of the other,
// the other is read word by word.

@group(0) @binding(0) var<storage, read> fold_words: array<u32>;
@group(0) @binding(1) var<storage, read> fold_quads: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> fold_partner_words: array<u32>;
@group(0) @binding(7) var<storage, read> fold_partner_quads: array<vec4<u32>>;

fn fold_pair(word: u32, partner: u32, index: u32) -> FoldAcc {
    return map(bitcast<FoldElement>(word), bitcast<FoldElement>(partner), index);
}

fn fold_element(at: u32) -> FoldAcc {
    let partner = fold_partner_words[at + fold_parameters.delta];
    return fold_pair(fold_words[at], partner, fold_parameters.base + at);
}

// The words from `at` on.
fn fold_partners(at: u32) -> vec4<u32> {
    if (at % 4u == 0u) {
        return fold_partner_quads[at / 4u];
    }
    return vec4<u32>(
        fold_partner_words[at],
        fold_partner_words[at + 1u],
        fold_partner_words[at + 2u],
        fold_partner_words[at + 3u],
    );
}

fn fold_unit(at: u32) -> FoldAcc {
    let quad = fold_quads[at];
    let partner = fold_partners(4u * at + fold_parameters.delta);
    let index = fold_parameters.base + 4u * at;
    let first = fold_pair(quad.x, partner.x, index);
    let second = fold_pair(quad.y, partner.y, index + 1u);
    let third = fold_pair(quad.z, partner.z, index + 2u);
    let fourth = fold_pair(quad.w, partner.w, index + 3u);
    return combine(combine(first, second), combine(third, fourth));
}
