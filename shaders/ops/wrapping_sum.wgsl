// wrapping_sum: the words of integers, added modulo 2^32. Two's complement makes that right for
// signed and unsigned numbers alike.

alias Output = Acc;

fn identity() -> Acc {
    return 0u;
}

fn lift(value: Element) -> Acc {
    return low_word(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a + b;
}

fn finish(total: Acc) -> Output {
    return total;
}
