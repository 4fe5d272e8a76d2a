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

// Two of 64 bits. What is the pivot is not counted.
fn append_pair(total: Acc, a: Element, b: Element) -> Acc {
    let pivot = select(total.pivot, pivot_of(kept_of(a)), total.count_low == 0u);
    let none = opened(pivot);
    return shifted_append(total, pivot, reals(opened(kept_of(a)), opened(kept_of(b)), none, none), 2u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return shifted_combine(a, b);
}

fn finish(total: Acc) -> Output {
    return closed(shifted_centre(total));
}
