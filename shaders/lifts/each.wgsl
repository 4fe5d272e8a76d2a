// Elements are lifted one by one, wherever they stand.

fn lift_one(value: Element, _index: u32) -> Acc {
    return lift(value);
}

fn append_two(total: Acc, a: Element, b: Element, _index: u32) -> Acc {
    return combine(total, combine(lift(a), lift(b)));
}

fn append_four(total: Acc, a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    return combine(total, combine(combine(lift(a), lift(b)), combine(lift(c), lift(d))));
}
