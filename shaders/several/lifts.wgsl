// Each operation lifts elements, and appends them, in its own way.

fn lift_one(value: Element, index: u32) -> Acc {
    return Acc(of_first_lift_one(value, index), of_second_lift_one(value, index));
}

fn append_four(total: Acc, a: Element, b: Element, c: Element, d: Element, index: u32) -> Acc {
    return Acc(
        of_first_append_four(total.first, a, b, c, d, index),
        of_second_append_four(total.second, a, b, c, d, index),
    );
}

fn settle(total: Acc) -> Acc {
    return Acc(of_first_settle(total.first), of_second_settle(total.second));
}

fn open_tile() -> Acc {
    return Acc(of_first_open_tile(), of_second_open_tile());
}

fn place_tile(total: Acc, first: u32) -> Acc {
    return Acc(of_first_place_tile(total.first, first), of_second_place_tile(total.second, first));
}

fn rebase(total: Acc, base: vec2<u32>) -> Acc {
    return Acc(of_first_rebase(total.first, base), of_second_rebase(total.second, base));
}
