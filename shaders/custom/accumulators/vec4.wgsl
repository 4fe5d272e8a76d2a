fn fold_value_of(words: vec4<u32>) -> FoldAcc {
    return bitcast<FoldAcc>(words);
}

fn fold_words_of(value: FoldAcc) -> vec4<u32> {
    return bitcast<vec4<u32>>(value);
}
