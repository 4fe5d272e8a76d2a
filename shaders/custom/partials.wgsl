// What a later pass reads: the totals that workgroups of the pass before have left, in order.

@group(0) @binding(0) var<storage, read> fold_partials: array<FoldAcc>;

fn fold_unit(at: u32) -> FoldAcc {
    return fold_partials[at];
}

fn fold_element(at: u32) -> FoldAcc {
    return fold_partials[at];
}
