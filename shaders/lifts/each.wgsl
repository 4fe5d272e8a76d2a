// Elements are lifted one by one, wherever they stand.

fn lift_one(value: Element, _index: u32) -> Acc {
    return lift(value);
}

fn lift_two(a: Element, b: Element, _index: u32) -> Acc {
    return combine(lift(a), lift(b));
}

fn lift_four(a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    return combine(combine(lift(a), lift(b)), combine(lift(c), lift(d)));
}

fn rebase(total: Acc, _base: vec2<u32>) -> Acc {
    return total;
}
