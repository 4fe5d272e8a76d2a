// norm_max: the largest magnitude. Those of floats are ordered as their bits are, NaN above infinity.

alias Output = Acc;

fn identity() -> Acc {
    return no_bits();
}

fn lift(value: Element) -> Acc {
    return select(magnitude(value), nan_bits(), is_nan(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return bits_max(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
