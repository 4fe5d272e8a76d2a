// Count, mean and sum of squared deviations, combined pairwise (Chan, Golub and LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances", 1979).
//
// The mean is pivot + rest, and never becomes one number here: the pivot is an element, or a mean of some, so that the
// mean's distance from it is as exact as the data's spread, however far from 0 the data lie.

struct Figures {
    count_low: u32,
    count_high: u32,
    pivot: Kept,
    rest: Kept,
    squares: Kept,
}

fn figures_of_none() -> Figures {
    let zero = closed(real(0.0));
    return Figures(0u, 0u, zero, zero, zero);
}

fn figures_of_one(value: Element) -> Figures {
    let number = kept_of(value);
    let pivot = pivot_of(number);
    let rest = closed(minus(opened(number), opened(pivot)));
    return Figures(1u, 0u, pivot, rest, closed(real(0.0)));
}

// The mean less the pivot, and the squared deviations.
fn figures_rest(figures: Figures) -> Real {
    return brought_near(opened(figures.rest), figures.count_high >= FAR_BIT, FAR_EXPONENT);
}

fn figures_squares(figures: Figures) -> Real {
    return brought_near(opened(figures.squares), figures.count_high >= FAR_BIT, 2 * FAR_EXPONENT);
}

fn figures_are_far(figures: Figures) -> bool {
    return HAS_FAR && figures.count_high >= FAR_BIT;
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
    if (!HAS_FAR || (!figures_are_far(total) && is_within(near.squares))) {
        return near;
    }
    let values = reals_of(a, b, c, d);
    return figures_appended(figures_made_far(total), near.pivot, far_distances(values, opened(near.pivot)));
}

// Where nothing can be far.
fn figures_append_near(
    total: Figures, a: Element, b: Element, c: Element, d: Element,
) -> Figures {
    let values = reals_of(a, b, c, d);
    let pivot = select(total.pivot, pivot_of(kept_of(a)), total.count_low == 0u);
    return figures_appended(total, pivot, each_minus(values, opened(pivot)));
}

fn figures_appended(total: Figures, pivot: Kept, distances: Reals) -> Figures {
    let rest = times(sum_of_four(distances), real(0.25));
    let within = sum_of_four(each_squared(each_minus(distances, rest)));
    return figures_joined_with(total, pivot, 4u, rest, within);
}

// So many more elements, of which the mean less the pivot and the squared deviations are known.
fn figures_joined_with(total: Figures, pivot: Kept, more: u32, rest: Real, within: Real) -> Figures {
    let count = total.count_low + more;
    let share = over(real_of_word(more), real_of_word(count));
    let before = figures_rest(total);
    let apart = minus(rest, before);
    let square = times(times(apart, apart), times(real_of_word(total.count_low), share));
    // Nothing is apart from none, however far from zero.
    let between = select(square, real(0.0), total.count_low == 0u);
    // Beside none these stay as they are: a quotient of equal numbers may not be 1 on a device.
    let from_pivot = select(plus(before, times(apart, share)), rest, total.count_low == 0u);
    let squares = plus(plus(figures_squares(total), within), between);
    let high = select(total.count_high, FAR_BIT, overflows(squares));
    return Figures(
        count,
        high,
        pivot,
        closed(brought_far(from_pivot, high != 0u, FAR_EXPONENT)),
        closed(brought_far(squares, high != 0u, 2 * FAR_EXPONENT)),
    );
}

// The same of two elements of 64 bits.
fn figures_append_pair(total: Figures, a: Element, b: Element) -> Figures {
    let near = figures_append_pair_near(total, a, b);
    if (!HAS_FAR || (!figures_are_far(total) && is_within(near.squares))) {
        return near;
    }
    let pivot = made_far(opened(near.pivot));
    let left = minus(made_far(opened(kept_of(a))), pivot);
    let right = minus(made_far(opened(kept_of(b))), pivot);
    return figures_appended_pair(figures_made_far(total), near.pivot, left, right);
}

fn figures_append_pair_near(total: Figures, a: Element, b: Element) -> Figures {
    let pivot = select(total.pivot, pivot_of(kept_of(a)), total.count_low == 0u);
    let left = minus(opened(kept_of(a)), opened(pivot));
    let right = minus(opened(kept_of(b)), opened(pivot));
    return figures_appended_pair(total, pivot, left, right);
}

fn figures_appended_pair(total: Figures, pivot: Kept, left: Real, right: Real) -> Figures {
    let rest = times(plus(left, right), real(0.5));
    let half = minus(left, rest);
    let other = minus(right, rest);
    return figures_joined_with(total, pivot, 2u, rest, plus(times(half, half), times(other, other)));
}

fn figures_combine(a: Figures, b: Figures) -> Figures {
    let near = figures_combine_near(a, b);
    if (!HAS_FAR || (!figures_are_far(near) && is_within(near.squares))) {
        return near;
    }
    return figures_joined(figures_made_far(a), figures_made_far(b), far_apart(a.pivot, b.pivot));
}

// Where nothing can be far.
fn figures_combine_near(a: Figures, b: Figures) -> Figures {
    return figures_joined(a, b, minus(opened(b.pivot), opened(a.pivot)));
}

// Keeps the pivot that is nearer to the mean of all: an outlier that came first would take the
// digits of everything after it. Without branches: lanes of which some have nothing would wait for each other.
fn figures_joined(a: Figures, b: Figures, pivots_apart: Real) -> Figures {
    let count_a = vec2<u32>(a.count_low, a.count_high & ~FAR_BIT);
    let count_b = vec2<u32>(b.count_low, b.count_high & ~FAR_BIT);
    let is_none_a = (count_a.x | count_a.y) == 0u;
    let is_none_b = (count_b.x | count_b.y) == 0u;
    let count = add64(count_a, count_b);
    let share = over(real_of_words(count_b), larger(real_of_words(count), real(1.0)));
    let rest_a = figures_rest(a);
    let rest_b = figures_rest(b);
    let apart = plus(pivots_apart, minus(rest_b, rest_a));
    let square = times(times(apart, apart), times(real_of_words(count_a), share));
    // Nothing is apart from none, however far from zero.
    let between = select(square, real(0.0), is_none_a || is_none_b);
    let squares = plus(plus(figures_squares(a), figures_squares(b)), between);
    let from_a = select(plus(rest_a, times(apart, share)), rest_a, is_none_b);
    let others = times(apart, minus(real(1.0), share));
    let from_b = select(minus(rest_b, others), rest_b, is_none_a);
    let is_b_nearer = is_less(absolute(from_b), absolute(from_a));
    let takes_b = is_none_a || (is_b_nearer && !is_none_b);
    let far = select((a.count_high | b.count_high) & FAR_BIT, FAR_BIT, overflows(squares));
    let rest = select(from_a, from_b, takes_b);
    return Figures(
        count.x,
        count.y | far,
        select(a.pivot, b.pivot, takes_b),
        closed(brought_far(rest, far != 0u, FAR_EXPONENT)),
        closed(brought_far(squares, far != 0u, 2 * FAR_EXPONENT)),
    );
}
