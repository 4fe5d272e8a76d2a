// mean of f32: the sum of distances from a pivot, by the count.

alias Output = f32;

fn identity() -> Acc {
    return shifted_of_none();
}

fn lift(value: Element) -> Acc {
    return shifted_of_one(value);
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    let pivot = select(total.pivot, shifted_pivot(a), total.count_low == 0u);
    let scale = shifted_scale(pivot);
    let distances = vec4<f32>(a, b, c, d) * scale - pivot * scale;
    let sum = (distances.x + distances.y) + (distances.z + distances.w);
    return Acc(total.count_low + 4u, 0u, pivot, total.sum + sum);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return shifted_combine(a, b);
}

fn finish(total: Acc) -> Output {
    return shifted_centre(total);
}
