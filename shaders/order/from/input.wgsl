// Every pass reads the input.

fn takes_input() -> bool {
    return true;
}

fn take_first(before: Acc, _workgroup: u32, _local: u32) -> Acc {
    return before;
}
