// norm_l1 of integers: magnitudes are added, with as many bits as a sum has.

alias Output = Acc;

fn identity() -> Acc {
    return acc_zero();
}

fn lift(value: Element) -> Acc {
    return widen_bits(magnitude(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
