fn fold_value_of(words: vec4<u32>) -> FoldAcc {
    return bitcast<FoldAcc>(words.x);
}

fn fold_words_of(value: FoldAcc) -> vec4<u32> {
    return vec4<u32>(bitcast<u32>(value), 0u, 0u, 0u);
}
