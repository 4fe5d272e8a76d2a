fn fold_identity() -> FoldAcc {
    return bitcast<FoldAcc>(fold_parameters.identity.xy);
}
