// nan_std and nan_variance, before the host divides: as std of floats, but NaN is left out of count, mean and squares, and the host
// is told how many numbers there are.

// The exponent field of the largest magnitude, the count, the sum of squared deviations, the lower words first, and zeros.
struct Output {
    fields: array<u32, 8>,
}

fn identity() -> Acc {
    return Acc(0, figures_of_none());
}

fn lift(value: Element) -> Acc {
    if (is_nan(value)) {
        return identity();
    }
    let exponent = exponent_of(magnitude(value));
    return Acc(exponent, figures_of_one(divided(value, exponent)));
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    return append_but_nan(total, a, b, c, d, which_are_nan(a, b, c, d));
}

// Two of 64 bits. Two more are left out, whatever they are.
fn append_pair(total: Acc, a: Element, b: Element) -> Acc {
    return append_but_nan(total, a, b, b, b, vec4<bool>(is_nan(a), is_nan(b), true, true));
}

// NaN has no magnitude, and stands at the mean of the numbers beside it, from where it does not deviate.
fn append_but_nan(
    total: Acc, a: Element, b: Element, c: Element, d: Element, are_nan: vec4<bool>,
) -> Acc {
    let count = count_of_others(are_nan);
    if (count == 0u) {
        return total;
    }
    let left = bits_max(magnitude_or_none(a, are_nan.x), magnitude_or_none(b, are_nan.y));
    let right = bits_max(magnitude_or_none(c, are_nan.z), magnitude_or_none(d, are_nan.w));
    let exponent = max(exponent_of(bits_max(left, right)), total.exponent);
    let figures = figures_at(total, exponent);
    let first = divided(first_number(a, b, c, d, are_nan), exponent);
    let pivot = select(figures.pivot, pivot_of(kept_of(first)), figures.count_low == 0u);
    let values = reals_of(
        divided(a, exponent),
        divided(b, exponent),
        divided(c, exponent),
        divided(d, exponent),
    );
    let distances = each_minus(replaced(values, opened(pivot), are_nan), opened(pivot));
    let rest = over(sum_of_four(distances), real_of_word(count));
    let deviations = each_minus(replaced(distances, rest, are_nan), rest);
    let within = sum_of_four(each_squared(deviations));
    return Acc(exponent, figures_joined_with(figures, pivot, count, rest, within));
}

fn magnitude_or_none(value: Element, is_none: bool) -> Bits {
    return select(magnitude(value), no_bits(), is_none);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return scaled_combine(a, b);
}

fn finish(total: Acc) -> Output {
    var words = acc_to_words(total);
    var fields = array<u32, 8>();
    fields[0] = words[0];
    fields[1] = total.figures.count_low;
    fields[2] = total.figures.count_high;
    for (var i = 0u; i < BITS_WORDS; i++) {
        fields[3u + i] = words[ACC_WORDS - BITS_WORDS + i];
    }
    return Output(fields);
}
