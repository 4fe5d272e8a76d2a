// any: 1 as soon as an element is not zero.

alias Output = Acc;

fn identity() -> Acc {
    return 0u;
}

fn lift(value: Element) -> Acc {
    return select(1u, 0u, is_zero(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a | b;
}

fn finish(total: Acc) -> Output {
    return total;
}
