// dot of floats: products and their sum, in their own type.

alias Output = Acc;

fn identity() -> Acc {
    return acc_zero();
}

fn lift(value: Element, partner: Element) -> Acc {
    return acc_times(widen(value), widen(partner));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
