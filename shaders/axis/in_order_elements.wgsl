// What is folded in order: elements.

fn first_item(column: u32) -> u32 {
    return first_of(column);
}

fn item_at(at: u32, r: u32) -> Acc {
    return lift_at(at, parameters.axis_low + r);
}
