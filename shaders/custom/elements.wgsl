// What a first pass reads of one input: elements of one word each, and quads of them as units.

@group(0) @binding(0) var<storage, read> fold_words: array<u32>;
@group(0) @binding(1) var<storage, read> fold_quads: array<vec4<u32>>;

fn fold_element(at: u32) -> FoldAcc {
    return map(bitcast<FoldElement>(fold_words[at]), fold_parameters.base + at);
}

fn fold_unit(at: u32) -> FoldAcc {
    let quad = fold_quads[at];
    let index = fold_parameters.base + 4u * at;
    let first = map(bitcast<FoldElement>(quad.x), index);
    let second = map(bitcast<FoldElement>(quad.y), index + 1u);
    let third = map(bitcast<FoldElement>(quad.z), index + 2u);
    let fourth = map(bitcast<FoldElement>(quad.w), index + 3u);
    return combine(combine(first, second), combine(third, fourth));
}
