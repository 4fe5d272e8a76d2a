// The words of count, mean and sum of squared deviations, which are f64, of each the lower word first, and how the last
// comes of other squares.

const FIGURES_WORDS: u32 = 8u;

fn figures_to_words(value: Figures) -> array<u32, FIGURES_WORDS> {
    let pivot = words_of_kept(value.pivot);
    let rest = words_of_kept(value.rest);
    let squares = words_of_kept(value.squares);
    return array<u32, FIGURES_WORDS>(
        value.count_low, value.count_high, pivot.x, pivot.y, rest.x, rest.y, squares.x, squares.y,
    );
}

fn figures_from_words(words: array<u32, FIGURES_WORDS>) -> Figures {
    return Figures(
        words[0],
        words[1],
        kept_of(vec2<u32>(words[2], words[3])),
        kept_of(vec2<u32>(words[4], words[5])),
        kept_of(vec2<u32>(words[6], words[7])),
    );
}

// As in moments_f32.wgsl.
fn deviations_of(squares: Real, of_centre: Real) -> Real {
    let deviations = minus(squares, of_centre);
    let kept = closed(deviations);
    let is_negative = words_of_kept(kept).y >= 0x80000000u;
    let is_beyond = HAS_FAR && !is_within(kept);
    return select(select(deviations, real(0.0), is_negative), squares, is_beyond);
}
