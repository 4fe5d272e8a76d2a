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
    let low = multiply32(a.x, b.x);
    return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}

fn finish(total: Acc) -> Output {
    return total;
}
