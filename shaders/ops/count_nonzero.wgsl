// count_nonzero: elements that are not zero are counted, in 64 bits.

alias Output = Acc;

fn identity() -> Acc {
    return acc_zero();
}

fn lift(value: Element) -> Acc {
    return vec2<u32>(select(1u, 0u, is_zero(value)), 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
