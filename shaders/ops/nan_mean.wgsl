// nan_mean of f32: as mean, but NaN is left out of sum and count; of nothing else it is NaN.

alias Output = u32;

fn identity() -> Acc {
    return shifted_of_none();
}

fn lift(value: Element) -> Acc {
    if (is_nan(value)) {
        return identity();
    }
    return shifted_of_one(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return shifted_combine(a, b);
}

fn finish(total: Acc) -> Output {
    let is_none = (total.count_low | total.count_high) == 0u;
    return select(bitcast<u32>(shifted_mean(total)), 0x7fc00000u, is_none);
}
