// Whether a condition holds that is the same for all invocations of a workgroup.

fn agreed(condition: bool) -> bool {
    return condition;
}
