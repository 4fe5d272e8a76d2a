// min_max: the smallest key, and the largest one turned round, so that of both the smaller counts. NaN
// is below all others in either.

alias Output = BitsPair;

fn identity() -> Acc {
    return bits_pair(all_bits(), all_bits());
}

fn lift(value: Element) -> Acc {
    let key = order_key(value);
    return select(bits_pair(key, ~key), bits_pair(no_bits(), no_bits()), is_nan(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return bits_pair(
        bits_min(first_bits(a), first_bits(b)),
        bits_min(second_bits(a), second_bits(b)),
    );
}

fn finish(total: Acc) -> Output {
    return bits_pair(bits_of_key(first_bits(total)), bits_of_key(~second_bits(total)));
}
