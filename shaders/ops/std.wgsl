// std of floats, before the host divides and takes the root: count, mean and sum of squared deviations of elements
// divided by the power of two that brings the largest magnitude to between 2 and 4, so that nothing is far.

// The exponent field of the largest magnitude, the sum of squared deviations, the lower word first, and zeros.
struct Output {
    fields: array<u32, 4>,
}

fn identity() -> Acc {
    return Acc(0, figures_of_none());
}

fn lift(value: Element) -> Acc {
    let exponent = exponent_of(magnitude(value));
    return Acc(exponent, figures_of_one(divided(value, exponent)));
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    let left = bits_max(magnitude(a), magnitude(b));
    let right = bits_max(magnitude(c), magnitude(d));
    let exponent = max(exponent_of(bits_max(left, right)), total.exponent);
    return Acc(
        exponent,
        figures_append_near(
            figures_at(total, exponent),
            divided(a, exponent),
            divided(b, exponent),
            divided(c, exponent),
            divided(d, exponent),
        ),
    );
}

// Two of 64 bits.
fn append_pair(total: Acc, a: Element, b: Element) -> Acc {
    let exponent = max(exponent_of(bits_max(magnitude(a), magnitude(b))), total.exponent);
    var figures = total.figures;
    if (exponent != total.exponent) {
        figures = figures_at(total, exponent);
    }
    return Acc(
        exponent,
        figures_append_pair_near(figures, divided(a, exponent), divided(b, exponent)),
    );
}

fn combine(a: Acc, b: Acc) -> Acc {
    return scaled_combine(a, b);
}

fn finish(total: Acc) -> Output {
    var words = acc_to_words(total);
    var fields = array<u32, 4>();
    fields[0] = words[0];
    for (var i = 0u; i < BITS_WORDS; i++) {
        fields[1u + i] = words[ACC_WORDS - BITS_WORDS + i];
    }
    return Output(fields);
}
