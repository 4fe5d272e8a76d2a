// A result's words.

const FOLD_RESULT_WORDS: u32 = 4u;

fn fold_result_of(total: FoldAcc) -> array<u32, 4> {
    let words = bitcast<vec4<u32>>(finish(total));
    return array<u32, 4>(words.x, words.y, words.z, words.w);
}
