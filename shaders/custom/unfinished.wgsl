// Where the user's text has no `finish`, the accumulator is the result.

fn finish(total: FoldAcc) -> FoldResult {
    return total;
}
