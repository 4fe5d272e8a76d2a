// The places of the lowest and of the highest element are looked for.

fn settle(total: Acc) -> Acc {
    return Acc(found(total.lowest, 0u), found(total.highest, 1u), total.figures);
}
