// sum: elements are widened to the accumulator of their type and added.

alias Acc = Wide;
alias Output = Wide;

fn identity() -> Acc {
    return wide_zero();
}

fn lift(value: Element) -> Acc {
    return widen(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return wide_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
