// nan_min: the smallest key; NaN has that of no element.

alias Output = Bits;

fn identity() -> Acc {
    return all_bits();
}

fn lift(value: Element) -> Acc {
    return select(order_key(value), all_bits(), is_nan(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return bits_min(a, b);
}

fn finish(total: Acc) -> Output {
    return bits_of_key(total);
}
