// A result's words.

const FOLD_RESULT_WORDS: u32 = 1u;

fn fold_result_of(total: FoldAcc) -> array<u32, 1> {
    return array<u32, 1>(bitcast<u32>(finish(total)));
}
