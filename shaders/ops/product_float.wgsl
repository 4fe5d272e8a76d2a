// product of floats.

alias Output = Acc;

fn identity() -> Acc {
    return 1.0;
}

fn lift(value: Element) -> Acc {
    return widen(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a * b;
}

fn finish(total: Acc) -> Output {
    return total;
}
