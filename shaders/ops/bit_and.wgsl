// bit_and: the bits that all elements have.

alias Output = Acc;

fn identity() -> Acc {
    return 0xffffffffu;
}

fn lift(value: Element) -> Acc {
    return low_word(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a & b;
}

fn finish(total: Acc) -> Output {
    return total;
}
