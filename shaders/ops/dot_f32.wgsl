// dot of f32: products and their sum, in f32.

alias Output = Acc;

fn identity() -> Acc {
    return acc_zero();
}

fn lift(value: Element, partner: Element) -> Acc {
    return value * partner;
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
