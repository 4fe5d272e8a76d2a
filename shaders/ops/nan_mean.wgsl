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

// The first number of four, or a NaN.
fn first_number(a: Element, b: Element, c: Element, d: Element) -> Element {
    return select(a, select(b, select(c, d, is_nan(c)), is_nan(b)), is_nan(a));
}

// The pivot is the first number.
fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    var pivot = total.pivot;
    if (total.count_low == 0u) {
        pivot = pivot_of(kept_of(first_number(a, b, c, d)));
    }
    let are_nan = vec4<bool>(is_nan(a), is_nan(b), is_nan(c), is_nan(d));
    let values = reals_of(a, b, c, d);
    let others = vec4<u32>(are_nan);
    let count = 4u - ((others.x + others.y) + (others.z + others.w));
    return shifted_append(total, pivot, replaced(values, opened(pivot), are_nan), count);
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
