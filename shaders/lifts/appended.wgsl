// An operation that has its own way of appending four elements to what an invocation has of a tile,
// wherever they stand.

fn lift_one(value: Element, _index: u32) -> Acc {
    return lift(value);
}

fn append_four(total: Acc, a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    return append(total, a, b, c, d);
}
