// sum: elements are widened to the accumulator of their type and added.

alias Output = Acc;

fn identity() -> Acc {
    return acc_zero();
}

fn lift(value: Element) -> Acc {
    return widen(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
