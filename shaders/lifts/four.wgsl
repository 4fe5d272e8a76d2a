// Four elements are lifted together, wherever they stand, where that is better than combining four.

fn lift_one(value: Element, _index: u32) -> Acc {
    return lift(value);
}

fn append_four(total: Acc, a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    return combine(total, lift_four(a, b, c, d));
}
