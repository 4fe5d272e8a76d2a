// The words of count, mean and sum of squared deviations, which are f32, and how the last comes of other squares.

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

// Squares of deviations, of squares of distances from somewhere else: no less than 0, and where these are beyond what a number holds
// what they are.
fn deviations_of(squares: f32, of_centre: f32) -> f32 {
    let deviations = squares - of_centre;
    return select(squares, max(deviations, 0.0), is_within(deviations));
}
