// mean of floats: the sum of distances from a pivot, by the count.

alias Output = Real;

fn identity() -> Acc {
    return shifted_of_none();
}

fn lift(value: Element) -> Acc {
    return shifted_of_one(value);
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    let values = vec4<Real>(real_of(a), real_of(b), real_of(c), real_of(d));
    let pivot = select(total.pivot, pivot_of(values.x), total.count_low == 0u);
    return shifted_append(total, pivot, values, 4u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return shifted_combine(a, b);
}

fn finish(total: Acc) -> Output {
    return shifted_centre(total);
}
