// bit_and: the bits that all elements have.

alias Output = Acc;

fn identity() -> Acc {
    return all_bits();
}

fn lift(value: Element) -> Acc {
    return bits_of(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a & b;
}

fn finish(total: Acc) -> Output {
    return total;
}
