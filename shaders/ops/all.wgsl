// all: 1 as long as no element is zero.

alias Output = Acc;

fn identity() -> Acc {
    return 1u;
}

fn lift(value: Element) -> Acc {
    return select(1u, 0u, is_zero(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a & b;
}

fn finish(total: Acc) -> Output {
    return total;
}
