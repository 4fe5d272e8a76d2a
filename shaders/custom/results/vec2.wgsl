// The only workgroup of the last pass leaves the result, word by word.

@group(0) @binding(2) var<storage, read_write> fold_result: array<u32>;

fn fold_leave(workgroup: u32, total: FoldAcc) {
    let words = bitcast<vec2<u32>>(finish(total));
    let first = fold_parameters.target_first;
    fold_result[first] = words.x;
    fold_result[first + 1u] = words.y;
}
