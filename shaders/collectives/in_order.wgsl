// The collective makes one value of a workgroup, in the order of the invocations.

fn fold_workgroup(value: Acc, me: Invocation) -> Acc {
    return combine_workgroup(value, me);
}
