// mean of f32: the sum of distances from a pivot, by the count.

alias Output = f32;

fn identity() -> Acc {
    return shifted_of_none();
}

fn lift(value: Element, _index: u32) -> Acc {
    return shifted_of_one(value);
}

fn lift_four(a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    let pivot = pivot_of(a);
    let sum = ((a - pivot) + (b - pivot)) + ((c - pivot) + (d - pivot));
    return Acc(4u, 0u, pivot, sum);
}

fn rebase(total: Acc, _base: vec2<u32>) -> Acc {
    return total;
}

fn combine(a: Acc, b: Acc) -> Acc {
    return shifted_combine(a, b);
}

fn finish(total: Acc) -> Output {
    return shifted_mean(total);
}
