// A result's words: three of them need no fourth.

const FOLD_RESULT_WORDS: u32 = 3u;

fn fold_result_of(total: FoldAcc) -> array<u32, 3> {
    let words = bitcast<vec3<u32>>(finish(total));
    return array<u32, 3>(words.x, words.y, words.z);
}
