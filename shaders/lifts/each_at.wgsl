// Elements are lifted one by one, with their indices.

fn lift_one(value: Element, index: u32) -> Acc {
    return lift(value, index);
}

fn lift_two(a: Element, b: Element, index: u32) -> Acc {
    return combine(lift(a, index), lift(b, index + 1u));
}

fn lift_four(a: Element, b: Element, c: Element, d: Element, index: u32) -> Acc {
    return combine(
        combine(lift(a, index), lift(b, index + 1u)),
        combine(lift(c, index + 2u), lift(d, index + 3u)),
    );
}
