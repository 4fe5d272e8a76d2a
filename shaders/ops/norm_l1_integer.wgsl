// norm_l1_integer: norm_l1 of integers: magnitudes are added, in 64 bits.

alias Output = Acc;

fn identity() -> Acc {
    return acc_zero();
}

fn lift(value: Element) -> Acc {
    return vec2<u32>(magnitude(value), 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
