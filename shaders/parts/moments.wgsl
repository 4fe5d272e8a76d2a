// Count, mean and sum of squared deviations, combined pairwise (Chan, Golub and LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances", 1979).
//
// The mean is pivot + rest, and never becomes one number here: the pivot is an element, or a mean of some, so that the
// mean's distance from it is as exact as the data's spread, however far from 0 the data lie.

struct Figures {
    count_low: u32,
    count_high: u32,
    pivot: Real,
    rest: Real,
    squares: Real,
}

fn figures_of_none() -> Figures {
    return Figures(0u, 0u, 0.0, 0.0, 0.0);
}

fn figures_of_one(value: Element) -> Figures {
    let number = real_of(value);
    let pivot = pivot_of(number);
    return Figures(1u, 0u, pivot, number - pivot, 0.0);
}

// Appends elements of a tile, so that the count has one word. What is appended is counted from the same pivot.
fn figures_append(total: Figures, a: Element, b: Element, c: Element, d: Element) -> Figures {
    let count = total.count_low + 4u;
    let pivot = select(total.pivot, pivot_of(real_of(a)), total.count_low == 0u);
    let distances = vec4<Real>(real_of(a), real_of(b), real_of(c), real_of(d)) - pivot;
    let rest = ((distances.x + distances.y) + (distances.z + distances.w)) * 0.25;
    let deviations = distances - rest;
    let squares = deviations * deviations;
    let within = (squares.x + squares.y) + (squares.z + squares.w);
    let share = 4.0 / Real(count);
    let apart = rest - total.rest;
    // Nothing is apart from none, however far from zero.
    let between = select(apart * apart * (Real(total.count_low) * share), 0.0, total.count_low == 0u);
    // Beside none these stay as they are: a quotient of equal numbers may not be 1 on a device.
    let from_pivot = select(total.rest + apart * share, rest, total.count_low == 0u);
    return Figures(count, 0u, pivot, from_pivot, (total.squares + within) + between);
}

// Keeps the pivot that is nearer to the mean of all: an outlier that came first would take the
// digits of everything after it. Without branches: lanes of which some have nothing would wait for each other.
fn figures_combine(a: Figures, b: Figures) -> Figures {
    let count_a = vec2<u32>(a.count_low, a.count_high);
    let count_b = vec2<u32>(b.count_low, b.count_high);
    let is_none_a = (count_a.x | count_a.y) == 0u;
    let is_none_b = (count_b.x | count_b.y) == 0u;
    let count = add64(count_a, count_b);
    let share = weight_of(count_b) / max(weight_of(count), 1.0);
    let apart = (b.pivot - a.pivot) + (b.rest - a.rest);
    // Nothing is apart from none, however far from zero.
    let between = select(apart * apart * (weight_of(count_a) * share), 0.0, is_none_a || is_none_b);
    let squares = (a.squares + b.squares) + between;
    let from_a = select(a.rest + apart * share, a.rest, is_none_b);
    let from_b = select(b.rest - apart * (1.0 - share), b.rest, is_none_a);
    let is_b_nearer = abs(from_b) < abs(from_a);
    let takes_b = is_none_a || (is_b_nearer && !is_none_b);
    return Figures(
        count.x,
        count.y,
        select(a.pivot, b.pivot, takes_b),
        select(from_a, from_b, takes_b),
        squares,
    );
}
