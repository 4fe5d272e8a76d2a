// Elements of one input.

fn lift_at(at: u32, index: u32) -> Acc {
    return lift_one(element_at(0u, at), index);
}
