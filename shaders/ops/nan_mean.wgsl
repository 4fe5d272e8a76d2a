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

// The first number of four, or a NaN.
fn first_number(a: Element, b: Element, c: Element, d: Element) -> Element {
    return select(a, select(b, select(c, d, is_nan(c)), is_nan(b)), is_nan(a));
}

// The pivot is the first number.
fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    var pivot = total.pivot;
    if (total.count_low == 0u) {
        pivot = shifted_pivot(first_number(a, b, c, d));
    }
    let are_nan = vec4<bool>(is_nan(a), is_nan(b), is_nan(c), is_nan(d));
    let scale = shifted_scale(pivot);
    let distances = select(vec4<f32>(a, b, c, d) * scale - pivot * scale, vec4<f32>(0.0), are_nan);
    let others = vec4<u32>(are_nan);
    let count = 4u - ((others.x + others.y) + (others.z + others.w));
    let sum = (distances.x + distances.y) + (distances.z + distances.w);
    return Acc(total.count_low + count, 0u, pivot, total.sum + sum);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return shifted_combine(a, b);
}

fn finish(total: Acc) -> Output {
    let is_none = (total.count_low | total.count_high) == 0u;
    return select(bitcast<u32>(shifted_centre(total)), 0x7fc00000u, is_none);
}
