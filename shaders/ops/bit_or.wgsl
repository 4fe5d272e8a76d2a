// bit_or: the bits that any element has.

alias Output = Acc;

fn identity() -> Acc {
    return 0u;
}

fn lift(value: Element) -> Acc {
    return low_word(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a | b;
}

fn finish(total: Acc) -> Output {
    return total;
}
