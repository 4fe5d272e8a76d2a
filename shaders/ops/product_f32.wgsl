// product of f32.

alias Output = Acc;

fn identity() -> Acc {
    return 1.0;
}

fn lift(value: Element) -> Acc {
    return value;
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a * b;
}

fn finish(total: Acc) -> Output {
    return total;
}
