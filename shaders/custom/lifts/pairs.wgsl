// Pairs become accumulators one by one.

fn fold_lib_lift_pair(value: Element, partner: Element, index: u32) -> fold_lib_Acc {
    return fold_lib_Acc(map(value, partner, fold_lib_index_of(index)), 1u);
}
