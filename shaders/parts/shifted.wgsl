// Sums of distances from a pivot, which is one of the elements.

fn shifted_of_none() -> Acc {
    return Acc(0u, 0u, 0.0, 0.0);
}

fn shifted_of_one(value: f32) -> Acc {
    let pivot = pivot_of(value);
    return Acc(1u, 0u, pivot, value - pivot);
}

// Of the two pivots the one that is nearer to the mean of all: an outlier that came first would take the
// digits of everything after it.
fn shifted_combine(a: Acc, b: Acc) -> Acc {
    if ((a.count_low | a.count_high) == 0u) {
        return b;
    }
    let count_a = vec2<u32>(a.count_low, a.count_high);
    let count_b = vec2<u32>(b.count_low, b.count_high);
    let count = add64(count_a, count_b);
    let apart = b.pivot - a.pivot;
    let sum = a.sum + b.sum;
    let from_a = sum + weight_of(count_b) * apart;
    let from_b = sum - weight_of(count_a) * apart;
    let is_b_nearer = abs(from_b) < abs(from_a);
    return Acc(
        count.x, count.y, select(a.pivot, b.pivot, is_b_nearer), select(from_a, from_b, is_b_nearer),
    );
}

fn shifted_centre(total: Acc) -> f32 {
    return total.pivot + total.sum / weight_of(vec2<u32>(total.count_low, total.count_high));
}
