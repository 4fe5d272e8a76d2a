// nan_min: the smallest key; NaN has that of no element.

alias Output = u32;

fn identity() -> Acc {
    return 0xffffffffu;
}

fn lift(value: Element) -> Acc {
    return select(order_key(value), 0xffffffffu, is_nan(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return min(a, b);
}

fn finish(total: Acc) -> Output {
    return word_of_key(total);
}
