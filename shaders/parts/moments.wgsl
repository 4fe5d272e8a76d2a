// Count, mean and sum of squared deviations, combined pairwise (Chan, Golub and LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances", 1979).
//
// The mean is pivot + rest, and never becomes one number here: the pivot is an element, so that the
// mean's distance from it is as exact as the data's spread, however far from 0 the data lie.

struct Moments {
    count_low: u32,
    count_high: u32,
    pivot: f32,
    rest: f32,
    squares: f32,
}

fn moments_of_none() -> Moments {
    return Moments(0u, 0u, 0.0, 0.0, 0.0);
}

fn moments_of_one(value: f32) -> Moments {
    let pivot = pivot_of(value);
    return Moments(1u, 0u, pivot, value - pivot, 0.0);
}

fn moments_of_four(values: vec4<f32>) -> Moments {
    let pivot = pivot_of(values.x);
    let apart = values - pivot;
    let rest = ((apart.x + apart.y) + (apart.z + apart.w)) * 0.25;
    let deviations = apart - rest;
    let squares = deviations * deviations;
    return Moments(4u, 0u, pivot, rest, (squares.x + squares.y) + (squares.z + squares.w));
}

fn moments_combine(a: Moments, b: Moments) -> Moments {
    if ((a.count_low | a.count_high) == 0u) {
        return b;
    }
    let count_a = vec2<u32>(a.count_low, a.count_high);
    let count_b = vec2<u32>(b.count_low, b.count_high);
    let count = add64(count_a, count_b);
    let share = weight_of(count_b) / weight_of(count);
    let apart = (b.pivot - a.pivot) + (b.rest - a.rest);
    let between = apart * apart * (weight_of(count_a) * share);
    let squares = (a.squares + b.squares) + between;
    return Moments(count.x, count.y, a.pivot, a.rest + apart * share, squares);
}
