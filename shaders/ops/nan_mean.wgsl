// nan_mean: as mean, but NaN is left out of sum and count; of nothing else it is NaN.

alias Output = Bits;

fn identity() -> Acc {
    return shifted_of_none();
}

fn lift(value: Element) -> Acc {
    if (is_nan(value)) {
        return identity();
    }
    return shifted_of_one(value);
}

// The pivot is the first number.
fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    let are_nan = which_are_nan(a, b, c, d);
    var pivot = total.pivot;
    if (total.count_low == 0u) {
        pivot = pivot_of(kept_of(first_number(a, b, c, d, are_nan)));
    }
    let values = replaced(reals_of(a, b, c, d), opened(pivot), are_nan);
    return shifted_append(total, pivot, values, count_of_others(are_nan));
}

// Two of 64 bits.
fn append_pair(total: Acc, a: Element, b: Element) -> Acc {
    var pivot = total.pivot;
    if (total.count_low == 0u) {
        pivot = pivot_of(kept_of(select(a, b, is_nan(a))));
    }
    let none = opened(pivot);
    let values = reals(
        select(opened(kept_of(a)), none, is_nan(a)),
        select(opened(kept_of(b)), none, is_nan(b)),
        none,
        none,
    );
    return shifted_append(total, pivot, values, u32(!is_nan(a)) + u32(!is_nan(b)));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return shifted_combine(a, b);
}

fn finish(total: Acc) -> Output {
    let is_none = (total.count_low | total.count_high) == 0u;
    return select(bits_of_kept(closed(shifted_centre(total))), nan_bits(), is_none);
}
