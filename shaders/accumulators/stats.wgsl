// Smallest and largest element with their places, and the figures that a variance is made of.

struct Acc {
    lowest: Located,
    highest: Located,
    figures: Figures,
}

const EXTREMES_WORDS: u32 = 6u;
const ACC_WORDS: u32 = EXTREMES_WORDS + FIGURES_WORDS;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    var words: array<u32, ACC_WORDS>;
    words[0] = value.lowest.key;
    words[1] = value.lowest.index_low;
    words[2] = value.lowest.index_high;
    words[3] = value.highest.key;
    words[4] = value.highest.index_low;
    words[5] = value.highest.index_high;
    var figures = figures_to_words(value.figures);
    for (var i = 0u; i < FIGURES_WORDS; i++) {
        words[EXTREMES_WORDS + i] = figures[i];
    }
    return words;
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    var all = words;
    var figures: array<u32, FIGURES_WORDS>;
    for (var i = 0u; i < FIGURES_WORDS; i++) {
        figures[i] = all[EXTREMES_WORDS + i];
    }
    let lowest = Located(words[0], words[1], words[2]);
    let highest = Located(words[3], words[4], words[5]);
    return Acc(lowest, highest, figures_from_words(figures));
}
