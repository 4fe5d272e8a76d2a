// mean of floats: the sum of distances from a pivot, by the count.

alias Output = Kept;

fn identity() -> Acc {
    return shifted_of_none();
}

fn lift(value: Element) -> Acc {
    return shifted_of_one(value);
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    let values = reals_of(a, b, c, d);
    let pivot = select(total.pivot, pivot_of(kept_of(a)), total.count_low == 0u);
    return shifted_append(total, pivot, values, 4u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return shifted_combine(a, b);
}

fn finish(total: Acc) -> Output {
    return closed(shifted_centre(total));
}
