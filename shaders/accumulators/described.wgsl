// Smallest and largest element with their places, and the figures that a variance is made of.

struct Acc {
    lowest: Located,
    highest: Located,
    figures: Figures,
}

// The words of a place: the key, of one word or two, and the index.
const PLACE_WORDS: u32 = BITS_WORDS + 2u;
const EXTREMES_WORDS: u32 = 2u * PLACE_WORDS;
const ACC_WORDS: u32 = EXTREMES_WORDS + FIGURES_WORDS;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    let lowest = bits_to_words(value.lowest.key);
    let highest = bits_to_words(value.highest.key);
    var words: array<u32, ACC_WORDS>;
    words[0] = lowest.x;
    words[BITS_WORDS - 1u] = lowest[BITS_WORDS - 1u];
    words[BITS_WORDS] = value.lowest.index_low;
    words[BITS_WORDS + 1u] = value.lowest.index_high;
    words[PLACE_WORDS] = highest.x;
    words[PLACE_WORDS + BITS_WORDS - 1u] = highest[BITS_WORDS - 1u];
    words[PLACE_WORDS + BITS_WORDS] = value.highest.index_low;
    words[PLACE_WORDS + BITS_WORDS + 1u] = value.highest.index_high;
    var figures = figures_to_words(value.figures);
    for (var i = 0u; i < FIGURES_WORDS; i++) {
        words[EXTREMES_WORDS + i] = figures[i];
    }
    return words;
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    var copied = words;
    var figures: array<u32, FIGURES_WORDS>;
    for (var i = 0u; i < FIGURES_WORDS; i++) {
        figures[i] = copied[EXTREMES_WORDS + i];
    }
    let lowest = bits_from_words(vec2<u32>(words[0], words[BITS_WORDS - 1u]));
    let highest =
        bits_from_words(vec2<u32>(words[PLACE_WORDS], words[PLACE_WORDS + BITS_WORDS - 1u]));
    return Acc(
        Located(lowest, words[BITS_WORDS], words[BITS_WORDS + 1u]),
        Located(highest, words[PLACE_WORDS + BITS_WORDS], words[PLACE_WORDS + BITS_WORDS + 1u]),
        figures_from_words(figures),
    );
}
