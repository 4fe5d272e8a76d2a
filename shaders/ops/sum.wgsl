// sum: elements are widened to the accumulator of their type and added.

alias Acc = Wide;
alias Output = Wide;

fn identity() -> Acc {
    return wide_zero();
}

fn lift(value: Element) -> Acc {
    return widen(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return wide_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}

// For partials that are handed over word by word.
const ACC_WORDS: u32 = WIDE_WORDS;

fn acc_to_words(total: Acc) -> array<u32, ACC_WORDS> {
    return wide_to_words(total);
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return wide_from_words(words);
}
