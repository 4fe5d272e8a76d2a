// product of integers, modulo 2^64. Two's complement makes that right for signed and unsigned numbers
// alike.

alias Output = Acc;

fn identity() -> Acc {
    return vec2<u32>(1u, 0u);
}

fn lift(value: Element) -> Acc {
    return widen(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return multiply64(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
