// The words of count, mean and sum of squared deviations, which are f32.

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
