// An operation that has its own way of appending two elements of 64 bits, and four, to what an invocation has of a tile,
// wherever they stand.

fn lift_one(value: Element, _index: u32) -> Acc {
    return lift(value);
}

fn append_two(total: Acc, a: Element, b: Element, _index: u32) -> Acc {
    return append_pair(total, a, b);
}

fn append_four(total: Acc, a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    return append(total, a, b, c, d);
}
