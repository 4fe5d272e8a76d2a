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

fn figures_are_far(figures: Figures) -> bool {
    return figures.count_high >= FAR_BIT;
}

fn figures_made_far(figures: Figures) -> Figures {
    if (figures_are_far(figures)) {
        return figures;
    }
    return Figures(
        figures.count_low,
        figures.count_high | FAR_BIT,
        figures.pivot,
        lowered(figures.rest, FAR_EXPONENT),
        lowered(figures.squares, 2 * FAR_EXPONENT),
    );
}

// Appends elements of a tile, so that the count has one word. What is appended is counted from the same pivot.
fn figures_append(total: Figures, a: Element, b: Element, c: Element, d: Element) -> Figures {
    let near = figures_append_near(total, a, b, c, d);
    if (!figures_are_far(total) && is_within(near.squares)) {
        return near;
    }
    let values = vec4<Real>(real_of(a), real_of(b), real_of(c), real_of(d));
    return figures_appended(figures_made_far(total), near.pivot, far_distances(values, near.pivot));
}

// Where nothing can be far.
fn figures_append_near(
    total: Figures, a: Element, b: Element, c: Element, d: Element,
) -> Figures {
    let values = vec4<Real>(real_of(a), real_of(b), real_of(c), real_of(d));
    let pivot = select(total.pivot, pivot_of(values.x), total.count_low == 0u);
    return figures_appended(total, pivot, values - pivot);
}

fn figures_appended(total: Figures, pivot: Real, distances: vec4<Real>) -> Figures {
    let count = total.count_low + 4u;
    let rest = sum_of_four(distances) * 0.25;
    let deviations = distances - rest;
    let within = sum_of_four(deviations * deviations);
    let share = 4.0 / Real(count);
    let apart = rest - total.rest;
    // Nothing is apart from none, however far from zero.
    let between = select(apart * apart * (Real(total.count_low) * share), 0.0, total.count_low == 0u);
    // Beside none these stay as they are: a quotient of equal numbers may not be 1 on a device.
    let from_pivot = select(total.rest + apart * share, rest, total.count_low == 0u);
    return Figures(count, total.count_high, pivot, from_pivot, (total.squares + within) + between);
}

fn figures_combine(a: Figures, b: Figures) -> Figures {
    let near = figures_combine_near(a, b);
    if (!figures_are_far(near) && is_within(near.squares)) {
        return near;
    }
    return figures_joined(figures_made_far(a), figures_made_far(b), far_apart(a.pivot, b.pivot));
}

// Where nothing can be far.
fn figures_combine_near(a: Figures, b: Figures) -> Figures {
    return figures_joined(a, b, b.pivot - a.pivot);
}

// Keeps the pivot that is nearer to the mean of all: an outlier that came first would take the
// digits of everything after it. Without branches: lanes of which some have nothing would wait for each other.
fn figures_joined(a: Figures, b: Figures, pivots_apart: Real) -> Figures {
    let count_a = vec2<u32>(a.count_low, a.count_high & ~FAR_BIT);
    let count_b = vec2<u32>(b.count_low, b.count_high & ~FAR_BIT);
    let is_none_a = (count_a.x | count_a.y) == 0u;
    let is_none_b = (count_b.x | count_b.y) == 0u;
    let count = add64(count_a, count_b);
    let share = weight_of(count_b) / max(weight_of(count), 1.0);
    let apart = pivots_apart + (b.rest - a.rest);
    // Nothing is apart from none, however far from zero.
    let between = select(apart * apart * (weight_of(count_a) * share), 0.0, is_none_a || is_none_b);
    let squares = (a.squares + b.squares) + between;
    let from_a = select(a.rest + apart * share, a.rest, is_none_b);
    let from_b = select(b.rest - apart * (1.0 - share), b.rest, is_none_a);
    let is_b_nearer = abs(from_b) < abs(from_a);
    let takes_b = is_none_a || (is_b_nearer && !is_none_b);
    return Figures(
        count.x,
        count.y | ((a.count_high | b.count_high) & FAR_BIT),
        select(a.pivot, b.pivot, takes_b),
        select(from_a, from_b, takes_b),
        squares,
    );
}
