// Every workgroup leaves its total for a later pass.

@group(0) @binding(2) var<storage, read_write> fold_totals: array<FoldAcc>;

fn fold_leave(workgroup: u32, total: FoldAcc) {
    fold_totals[fold_parameters.target_first + workgroup] = total;
}
