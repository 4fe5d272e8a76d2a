// What a first pass reads of two inputs: pairs of elements, of which a word has FOLD_PER_WORD, and quads of
// words as units. The inputs may start anywhere: where the quads of the one are no whole quads of the
// other, the other is read word by word, and its words may lie in two.

@group(0) @binding(0) var<storage, read> fold_words: array<u32>;
@group(0) @binding(1) var<storage, read> fold_quads: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> fold_partner_words: array<u32>;
@group(0) @binding(7) var<storage, read> fold_partner_quads: array<vec4<u32>>;

const FOLD_BITS: u32 = 32u / FOLD_PER_WORD;

fn fold_element(at: u32) -> FoldAcc {
    let partner = at + fold_parameters.delta;
    let bits = fold_words[at / FOLD_PER_WORD] >> (at % FOLD_PER_WORD * FOLD_BITS);
    let partner_bits =
        fold_partner_words[partner / FOLD_PER_WORD] >> (partner % FOLD_PER_WORD * FOLD_BITS);
    return map(element(bits), element(partner_bits), fold_parameters.base + at);
}

// The partners from `at` on, as many as a word has.
fn fold_partner_word(at: u32) -> u32 {
    let word = at / FOLD_PER_WORD;
    let shift = at % FOLD_PER_WORD * FOLD_BITS;
    if (shift == 0u) {
        return fold_partner_words[word];
    }
    return (fold_partner_words[word] >> shift) | (fold_partner_words[word + 1u] << (32u - shift));
}

// The partners from `at` on, as many as a quad has.
fn fold_partners(at: u32) -> vec4<u32> {
    if (at % (4u * FOLD_PER_WORD) == 0u) {
        return fold_partner_quads[at / (4u * FOLD_PER_WORD)];
    }
    return vec4<u32>(
        fold_partner_word(at),
        fold_partner_word(at + FOLD_PER_WORD),
        fold_partner_word(at + 2u * FOLD_PER_WORD),
        fold_partner_word(at + 3u * FOLD_PER_WORD),
    );
}

// The pairs of a word, combined; the first has this index.
fn fold_word(word: u32, partner: u32, index: u32) -> FoldAcc {
    var total = map(element(word), element(partner), index);
    for (var k = 1u; k < FOLD_PER_WORD; k++) {
        let shift = k * FOLD_BITS;
        total = combine(total, map(element(word >> shift), element(partner >> shift), index + k));
    }
    return total;
}

fn fold_unit(at: u32) -> FoldAcc {
    let quad = fold_quads[at];
    let first_at = 4u * FOLD_PER_WORD * at;
    let partner = fold_partners(first_at + fold_parameters.delta);
    let index = fold_parameters.base + first_at;
    let first = fold_word(quad.x, partner.x, index);
    let second = fold_word(quad.y, partner.y, index + FOLD_PER_WORD);
    let third = fold_word(quad.z, partner.z, index + 2u * FOLD_PER_WORD);
    let fourth = fold_word(quad.w, partner.w, index + 3u * FOLD_PER_WORD);
    return combine(combine(first, second), combine(third, fourth));
}
