// Of a workgroup the collective makes one value, in the order of the invocations.

fn fold_workgroup(value: Acc, me: Invocation) -> Acc {
    return combine_workgroup(value, me);
}
