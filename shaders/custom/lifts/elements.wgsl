// Elements become accumulators one by one, or four that stand side by side.

fn fold_lib_lift_one(value: Element, index: u32) -> fold_lib_Acc {
    return fold_lib_Acc(map(value, fold_lib_index_of(index)), 1u);
}

fn fold_lib_append_four(
    total: fold_lib_Acc, a: Element, b: Element, c: Element, d: Element, first: u32,
) -> fold_lib_Acc {
    let index = fold_lib_index_of(first);
    let before = combine(map(a, index), map(b, index + 1u));
    let behind = combine(map(c, index + 2u), map(d, index + 3u));
    return fold_lib_combine(total, fold_lib_Acc(combine(before, behind), 1u));
}
