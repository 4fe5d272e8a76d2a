// nan_sum: as sum, but NaN counts as 0.

alias Output = Acc;

fn identity() -> Acc {
    return acc_zero();
}

fn lift(value: Element) -> Acc {
    return select(widen(value), acc_zero(), is_nan(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
