// Elements of a column whose places matter: four at once would have to lie side by side.

fn append_rows(total: Acc, a: Element, b: Element, c: Element, d: Element, index: u32) -> Acc {
    let first = combine(lift_one(a, index), lift_one(b, index + LANES));
    let second = combine(lift_one(c, index + 2u * LANES), lift_one(d, index + 3u * LANES));
    return combine(total, combine(first, second));
}
