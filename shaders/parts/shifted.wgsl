// Count and sum, of distances from a pivot, which is one of the elements: equal numbers have their own mean.

struct Acc {
    count_low: u32,
    count_high: u32,
    pivot: Kept,
    sum: Kept,
}

fn shifted_of_none() -> Acc {
    return Acc(0u, 0u, closed(real(0.0)), closed(real(0.0)));
}

fn shifted_of_one(value: Element) -> Acc {
    let number = kept_of(value);
    let pivot = pivot_of(number);
    return Acc(1u, 0u, pivot, closed(minus(opened(number), opened(pivot))));
}

fn shifted_is_far(total: Acc) -> bool {
    return HAS_FAR && total.count_high >= FAR_BIT;
}

fn shifted_made_far(total: Acc) -> Acc {
    if (shifted_is_far(total)) {
        return total;
    }
    let sum = lowered(total.sum, FAR_EXPONENT);
    return Acc(total.count_low, total.count_high | FAR_BIT, total.pivot, sum);
}

// The sum of the distances.
fn shifted_sum(total: Acc) -> Real {
    return brought_near(opened(total.sum), total.count_high >= FAR_BIT, FAR_EXPONENT);
}

// Appends elements of a tile, so that the count has one word; what is not counted is the pivot.
fn shifted_append(total: Acc, pivot: Kept, values: Reals, count: u32) -> Acc {
    if (!HAS_FAR) {
        let sum = plus(shifted_sum(total), sum_of_four(each_minus(values, opened(pivot))));
        let is_far = total.count_high >= FAR_BIT || overflows(sum);
        let kept = closed(brought_far(sum, is_far, FAR_EXPONENT));
        return Acc(total.count_low + count, select(0u, FAR_BIT, is_far), pivot, kept);
    }
    let near = closed(plus(opened(total.sum), sum_of_four(each_minus(values, opened(pivot)))));
    if (!shifted_is_far(total) && is_within(near)) {
        return Acc(total.count_low + count, 0u, pivot, near);
    }
    let distances = sum_of_four(far_distances(values, opened(pivot)));
    let far = plus(opened(shifted_made_far(total).sum), distances);
    return Acc(total.count_low + count, FAR_BIT, pivot, closed(far));
}

fn shifted_combine(a: Acc, b: Acc) -> Acc {
    if ((a.count_low | a.count_high) == 0u) {
        return b;
    }
    if ((b.count_low | b.count_high) == 0u) {
        return a;
    }
    let near = shifted_joined(a, b, minus(opened(b.pivot), opened(a.pivot)));
    if (!HAS_FAR || (!shifted_is_far(near) && is_within(near.sum))) {
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
    let sum = plus(shifted_sum(a), shifted_sum(b));
    let from_a = plus(sum, times(real_of_words(count_b), apart));
    let from_b = minus(sum, times(real_of_words(count_a), apart));
    let takes_b = is_less(absolute(from_b), absolute(from_a));
    let from_nearer = select(from_a, from_b, takes_b);
    let far = select((a.count_high | b.count_high) & FAR_BIT, FAR_BIT, overflows(from_nearer));
    return Acc(
        count.x,
        count.y | far,
        select(a.pivot, b.pivot, takes_b),
        closed(brought_far(from_nearer, far != 0u, FAR_EXPONENT)),
    );
}

fn shifted_centre(total: Acc) -> Real {
    let count = vec2<u32>(total.count_low, total.count_high & ~FAR_BIT);
    let distance = over(shifted_sum(total), real_of_words(count));
    let near = plus(opened(total.pivot), distance);
    return select(near, from_far(opened(total.pivot), distance), shifted_is_far(total));
}
