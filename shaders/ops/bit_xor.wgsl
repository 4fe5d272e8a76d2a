// bit_xor: the bits that an odd number of elements has.

alias Output = Acc;

fn identity() -> Acc {
    return no_bits();
}

fn lift(value: Element) -> Acc {
    return bits_of(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a ^ b;
}

fn finish(total: Acc) -> Output {
    return total;
}
