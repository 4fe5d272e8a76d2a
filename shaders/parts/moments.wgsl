// Count, mean and sum of squared deviations, combined pairwise (Chan, Golub and LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances", 1979).
//
// The mean is pivot + rest, and never becomes one number here: the pivot is an element, so that the
// mean's distance from it is as exact as the data's spread, however far from 0 the data lie.

struct Figures {
    count_low: u32,
    count_high: u32,
    pivot: f32,
    rest: f32,
    squares: f32,
}

const FIGURES_WORDS: u32 = 5u;

fn figures_to_words(value: Figures) -> array<u32, FIGURES_WORDS> {
    return array<u32, FIGURES_WORDS>(
        value.count_low,
        value.count_high,
        bitcast<u32>(value.pivot),
        bitcast<u32>(value.rest),
        bitcast<u32>(value.squares),
    );
}

fn figures_from_words(words: array<u32, FIGURES_WORDS>) -> Figures {
    return Figures(
        words[0],
        words[1],
        bitcast<f32>(words[2]),
        bitcast<f32>(words[3]),
        bitcast<f32>(words[4]),
    );
}

fn figures_of_none() -> Figures {
    return Figures(0u, 0u, 0.0, 0.0, 0.0);
}

fn figures_of_one(value: f32) -> Figures {
    let pivot = pivot_of(value);
    return Figures(1u, 0u, pivot, value - pivot, 0.0);
}

// Of a tile, so that the count has one word. What is appended is counted from the same pivot.
fn figures_append(total: Figures, a: f32, b: f32, c: f32, d: f32) -> Figures {
    let count = total.count_low + 4u;
    let pivot = select(total.pivot, pivot_of(a), total.count_low == 0u);
    let distances = vec4<f32>(a, b, c, d) - pivot;
    let rest = ((distances.x + distances.y) + (distances.z + distances.w)) * 0.25;
    let deviations = distances - rest;
    let squares = deviations * deviations;
    let within = (squares.x + squares.y) + (squares.z + squares.w);
    let share = 4.0 / f32(count);
    let apart = rest - total.rest;
    let between = apart * apart * (f32(total.count_low) * share);
    return Figures(
        count, 0u, pivot, total.rest + apart * share, (total.squares + within) + between,
    );
}

// Of the two pivots the one that is nearer to the mean of all: an outlier that came first would take the
// digits of everything after it.
fn figures_combine(a: Figures, b: Figures) -> Figures {
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
    let from_a = a.rest + apart * share;
    let from_b = b.rest - apart * (1.0 - share);
    if (abs(from_b) < abs(from_a)) {
        return Figures(count.x, count.y, b.pivot, from_b, squares);
    }
    return Figures(count.x, count.y, a.pivot, from_a, squares);
}
