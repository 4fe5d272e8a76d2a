// Four elements of a column are appended at once, wherever they stand.

fn append_rows(total: Acc, a: Element, b: Element, c: Element, d: Element, index: u32) -> Acc {
    return append_four(total, a, b, c, d, index);
}
