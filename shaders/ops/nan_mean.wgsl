// nan_mean of f32: as mean, but NaN is left out of sum and count; of nothing else it is NaN.

alias Output = u32;

fn identity() -> Acc {
    return shifted_of_none();
}

// Of a tile that has no quad yet the upper word of the count, which tiles have no other use for, is 1.
fn open_tile() -> Acc {
    return Acc(0u, 1u, 0.0, 0.0);
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

// The pivot is the first number of the first quad, or 0 if that has none. Of an opened tile the compiler knows
// which quad is the first.
fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    let is_first = select(total.count_low == 0u, total.count_high != 0u, is_opened());
    var pivot = total.pivot;
    if (is_first) {
        pivot = pivot_of(first_number(a, b, c, d));
    }
    let are_nan = vec4<bool>(is_nan(a), is_nan(b), is_nan(c), is_nan(d));
    let distances = select(vec4<f32>(a, b, c, d) - pivot, vec4<f32>(0.0), are_nan);
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
