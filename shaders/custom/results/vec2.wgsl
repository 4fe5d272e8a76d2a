// A result's words.

const FOLD_RESULT_WORDS: u32 = 2u;

fn fold_result_of(total: FoldAcc) -> array<u32, 2> {
    let words = bitcast<vec2<u32>>(finish(total));
    return array<u32, 2>(words.x, words.y);
}
