// What a first pass reads of one input: elements, of which a word has FOLD_PER_WORD, and quads of words as
// units.

@group(0) @binding(0) var<storage, read> fold_words: array<u32>;
@group(0) @binding(1) var<storage, read> fold_quads: array<vec4<u32>>;

const FOLD_BITS: u32 = 32u / FOLD_PER_WORD;

fn fold_element(at: u32) -> FoldAcc {
    let bits = fold_words[at / FOLD_PER_WORD] >> (at % FOLD_PER_WORD * FOLD_BITS);
    return map(element(bits), fold_parameters.base + at);
}

// The elements of a word, combined; the first has this index.
fn fold_word(word: u32, index: u32) -> FoldAcc {
    var total = map(element(word), index);
    for (var k = 1u; k < FOLD_PER_WORD; k++) {
        total = combine(total, map(element(word >> (k * FOLD_BITS)), index + k));
    }
    return total;
}

fn fold_unit(at: u32) -> FoldAcc {
    let quad = fold_quads[at];
    let index = fold_parameters.base + 4u * FOLD_PER_WORD * at;
    let first = fold_word(quad.x, index);
    let second = fold_word(quad.y, index + FOLD_PER_WORD);
    let third = fold_word(quad.z, index + 2u * FOLD_PER_WORD);
    let fourth = fold_word(quad.w, index + 3u * FOLD_PER_WORD);
    return combine(combine(first, second), combine(third, fourth));
}
