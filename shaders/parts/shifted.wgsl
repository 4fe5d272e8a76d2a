// Sums of distances from a pivot, which is one of the elements.

fn shifted_of_none() -> Acc {
    return Acc(0u, 0u, 0.0, 0.0);
}

fn shifted_of_one(value: f32) -> Acc {
    let pivot = pivot_of(value);
    return Acc(1u, 0u, pivot, value - pivot);
}

fn shifted_combine(a: Acc, b: Acc) -> Acc {
    if ((a.count_low | a.count_high) == 0u) {
        return b;
    }
    let count_b = vec2<u32>(b.count_low, b.count_high);
    let count = add64(vec2<u32>(a.count_low, a.count_high), count_b);
    let moved = weight_of(count_b) * (b.pivot - a.pivot);
    return Acc(count.x, count.y, a.pivot, (a.sum + b.sum) + moved);
}

fn shifted_mean(total: Acc) -> f32 {
    return total.pivot + total.sum / weight_of(vec2<u32>(total.count_low, total.count_high));
}
