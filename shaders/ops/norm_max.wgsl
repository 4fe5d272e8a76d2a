// norm_max: the largest magnitude. Those of f32 are ordered as their bits are, NaN above infinity.

alias Output = Acc;

fn identity() -> Acc {
    return 0u;
}

fn lift(value: Element) -> Acc {
    return select(magnitude(value), 0x7fc00000u, is_nan(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return max(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
