// wrapping_sum: the bits of integers, added modulo 2^32 or 2^64. Two's complement makes that right for
// signed and unsigned numbers alike.

alias Output = Acc;

fn identity() -> Acc {
    return acc_zero();
}

fn lift(value: Element) -> Acc {
    return bits_of(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
