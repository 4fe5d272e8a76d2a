// Count, mean and sum of squared deviations of elements divided by a power of two, which the largest magnitude so far gives: no
// square overflows, and none that counts underflows.

struct Acc {
    // The exponent of the largest magnitude.
    exponent: i32,
    figures: Figures,
}

// Numbers of two words begin at every other one.
const EXPONENT_WORDS: u32 = BITS_WORDS;
const ACC_WORDS: u32 = EXPONENT_WORDS + FIGURES_WORDS;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    var figures = figures_to_words(value.figures);
    var words: array<u32, ACC_WORDS>;
    words[0] = bitcast<u32>(value.exponent);
    for (var i = 0u; i < FIGURES_WORDS; i++) {
        words[EXPONENT_WORDS + i] = figures[i];
    }
    return words;
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    var copied = words;
    var figures: array<u32, FIGURES_WORDS>;
    for (var i = 0u; i < FIGURES_WORDS; i++) {
        figures[i] = copied[EXPONENT_WORDS + i];
    }
    return Acc(bitcast<i32>(copied[0]), figures_from_words(figures));
}

// The figures of elements that are divided by a larger power of two.
fn figures_at(total: Acc, exponent: i32) -> Figures {
    let down = exponent - total.exponent;
    var figures = total.figures;
    figures.pivot = lowered(figures.pivot, down);
    figures.rest = lowered(figures.rest, down);
    figures.squares = lowered(figures.squares, 2 * down);
    return figures;
}

fn scaled_combine(a: Acc, b: Acc) -> Acc {
    let exponent = max(a.exponent, b.exponent);
    return Acc(exponent, figures_combine_near(figures_at(a, exponent), figures_at(b, exponent)));
}
