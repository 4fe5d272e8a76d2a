// The only workgroup of the last pass leaves the result, word by word.

@group(0) @binding(2) var<storage, read_write> fold_result: array<u32>;

fn fold_leave(workgroup: u32, total: FoldAcc) {
    var words = fold_result_of(total);
    for (var k = 0u; k < FOLD_RESULT_WORDS; k++) {
        fold_result[fold_parameters.target_first + k] = words[k];
    }
}
