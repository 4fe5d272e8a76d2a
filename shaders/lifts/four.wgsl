// Four elements are lifted together, with the first one's index, where that is better than combining
// four.

fn lift_one(value: Element, index: u32) -> Acc {
    return lift(value, index);
}

fn lift_two(a: Element, b: Element, index: u32) -> Acc {
    return combine(lift(a, index), lift(b, index + 1u));
}
