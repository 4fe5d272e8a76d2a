// max: the largest key; NaN has one above all numbers.

alias Output = u32;

fn identity() -> Acc {
    return 0u;
}

fn lift(value: Element) -> Acc {
    return select(order_key(value), 0xffffffffu, is_nan(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return max(a, b);
}

fn finish(total: Acc) -> Output {
    return word_of_key(total);
}
