// Sums of distances from a pivot, which is one of the elements. From pivots of 2^64 on sums are in units of 2^64, so that no distance is
// beyond f32, and equal numbers have their own mean.

const SHIFTED_UNIT: f32 = 0x1p64f;
const SHIFTED_INVERSE: f32 = 0x1p-64f;

fn shifted_of_none() -> Acc {
    return Acc(0u, 0u, 0.0, 0.0);
}

fn is_finite(value: f32) -> bool {
    return (bitcast<u32>(value) & 0x7fffffffu) < 0x7f800000u;
}

fn shifted_pivot(value: f32) -> f32 {
    return select(0.0, value, is_finite(value));
}

fn is_in_units(pivot: f32) -> bool {
    return (bitcast<u32>(pivot) & 0x7fffffffu) >= 0x5f800000u;
}

// What a distance from a pivot is multiplied by.
fn shifted_scale(pivot: f32) -> f32 {
    return select(1.0, SHIFTED_INVERSE, is_in_units(pivot));
}

// What a sum of distances from a pivot is in.
fn shifted_unit(pivot: f32) -> f32 {
    return select(1.0, SHIFTED_UNIT, is_in_units(pivot));
}

fn shifted_of_one(value: f32) -> Acc {
    let pivot = shifted_pivot(value);
    return Acc(1u, 0u, pivot, value - pivot);
}

// Keeps the pivot that is nearer to the mean of all: an outlier that came first would take the
// digits of everything after it. A pivot from which the sum is beyond f32 is not taken.
fn shifted_combine(a: Acc, b: Acc) -> Acc {
    if ((a.count_low | a.count_high) == 0u) {
        return b;
    }
    if ((b.count_low | b.count_high) == 0u) {
        return a;
    }
    let count_a = vec2<u32>(a.count_low, a.count_high);
    let count_b = vec2<u32>(b.count_low, b.count_high);
    let count = add64(count_a, count_b);
    let a_for_b = shifted_unit(a.pivot) * shifted_scale(b.pivot);
    let b_for_a = shifted_unit(b.pivot) * shifted_scale(a.pivot);
    let apart_a = b.pivot * shifted_scale(a.pivot) - a.pivot * shifted_scale(a.pivot);
    let apart_b = b.pivot * shifted_scale(b.pivot) - a.pivot * shifted_scale(b.pivot);
    let from_a = (a.sum + b.sum * b_for_a) + weight_of(count_b) * apart_a;
    let from_b = (a.sum * a_for_b + b.sum) - weight_of(count_a) * apart_b;
    let is_b_nearer = is_finite(from_b) && abs(from_b) < abs(from_a) * a_for_b;
    let takes_b = !is_finite(from_a) || is_b_nearer;
    return Acc(
        count.x, count.y, select(a.pivot, b.pivot, takes_b), select(from_a, from_b, takes_b),
    );
}

fn shifted_centre(total: Acc) -> f32 {
    let from_pivot = total.sum / weight_of(vec2<u32>(total.count_low, total.count_high));
    let scaled = total.pivot * shifted_scale(total.pivot) + from_pivot;
    return scaled * shifted_unit(total.pivot);
}
