// nan_mean of f64, before it is divided: the sum of what is not NaN, and how many that are.

struct Output {
    fields: array<u32, 4>,
}

fn identity() -> Acc {
    return Acc(0.0, 0u, 0u);
}

fn lift(value: Element) -> Acc {
    if (is_nan(value)) {
        return identity();
    }
    return Acc(widen(value), 1u, 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let count = add64(vec2<u32>(a.count_low, a.count_high), vec2<u32>(b.count_low, b.count_high));
    return Acc(a.sum + b.sum, count.x, count.y);
}

// The count, then the sum.
fn finish(total: Acc) -> Output {
    return Output(acc_to_words(total));
}
