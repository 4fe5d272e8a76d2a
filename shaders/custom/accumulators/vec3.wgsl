fn fold_value_of(words: vec4<u32>) -> FoldAcc {
    return bitcast<FoldAcc>(words.xyz);
}

fn fold_words_of(value: FoldAcc) -> vec4<u32> {
    return vec4<u32>(bitcast<vec3<u32>>(value), 0u);
}
