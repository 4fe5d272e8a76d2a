// Elements are lifted wherever they stand, and four at once: they have so few bits that their sum is an
// element like any other.

fn lift_one(value: Element, _index: u32) -> Acc {
    return lift(value);
}

fn append_four(total: Acc, a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    return combine(total, lift((a + b) + (c + d)));
}
