// Count and sum, of distances from a pivot, which is one of the elements: equal numbers have their own mean.

struct Acc {
    count_low: u32,
    count_high: u32,
    pivot: Real,
    sum: Real,
}

fn shifted_of_none() -> Acc {
    return Acc(0u, 0u, 0.0, 0.0);
}

fn shifted_of_one(value: Element) -> Acc {
    let number = real_of(value);
    let pivot = pivot_of(number);
    return Acc(1u, 0u, pivot, number - pivot);
}

fn shifted_is_far(total: Acc) -> bool {
    return total.count_high >= FAR_BIT;
}

fn shifted_made_far(total: Acc) -> Acc {
    if (shifted_is_far(total)) {
        return total;
    }
    let sum = lowered(total.sum, FAR_EXPONENT);
    return Acc(total.count_low, total.count_high | FAR_BIT, total.pivot, sum);
}

// Appends elements of a tile, so that the count has one word; what is not counted is the pivot.
fn shifted_append(total: Acc, pivot: Real, values: vec4<Real>, count: u32) -> Acc {
    let near = total.sum + sum_of_four(values - pivot);
    if (!shifted_is_far(total) && is_within(near)) {
        return Acc(total.count_low + count, 0u, pivot, near);
    }
    let far = shifted_made_far(total).sum + sum_of_four(far_distances(values, pivot));
    return Acc(total.count_low + count, FAR_BIT, pivot, far);
}

fn shifted_combine(a: Acc, b: Acc) -> Acc {
    if ((a.count_low | a.count_high) == 0u) {
        return b;
    }
    if ((b.count_low | b.count_high) == 0u) {
        return a;
    }
    let near = shifted_joined(a, b, b.pivot - a.pivot);
    if (!shifted_is_far(near) && is_within(near.sum)) {
        return near;
    }
    return shifted_joined(shifted_made_far(a), shifted_made_far(b), far_apart(a.pivot, b.pivot));
}

// Keeps the pivot that is nearer to the mean of all: an outlier that came first would take the
// digits of everything after it.
fn shifted_joined(a: Acc, b: Acc, apart: Real) -> Acc {
    let count_a = vec2<u32>(a.count_low, a.count_high & ~FAR_BIT);
    let count_b = vec2<u32>(b.count_low, b.count_high & ~FAR_BIT);
    let count = add64(count_a, count_b);
    let from_a = (a.sum + b.sum) + weight_of(count_b) * apart;
    let from_b = (a.sum + b.sum) - weight_of(count_a) * apart;
    let takes_b = abs(from_b) < abs(from_a);
    return Acc(
        count.x,
        count.y | ((a.count_high | b.count_high) & FAR_BIT),
        select(a.pivot, b.pivot, takes_b),
        select(from_a, from_b, takes_b),
    );
}

fn shifted_centre(total: Acc) -> Real {
    let count = vec2<u32>(total.count_low, total.count_high & ~FAR_BIT);
    let distance = total.sum / weight_of(count);
    return select(total.pivot + distance, from_far(total.pivot, distance), shifted_is_far(total));
}
