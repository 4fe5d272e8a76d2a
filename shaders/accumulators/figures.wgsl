// The figures that a variance is made of.

alias Acc = Figures;

const ACC_WORDS: u32 = FIGURES_WORDS;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return figures_to_words(value);
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return figures_from_words(words);
}
