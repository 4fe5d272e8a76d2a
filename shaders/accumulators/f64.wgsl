// f64, rounding at every addition: two words where it is handed over.

alias Acc = Kept;

fn widen(value: Element) -> Acc {
    return kept_of(value);
}

fn acc_zero() -> Acc {
    return kept_of(vec2<u32>(0u, 0u));
}

fn acc_add(a: Acc, b: Acc) -> Acc {
    return closed(plus(opened(a), opened(b)));
}

fn acc_times(a: Acc, b: Acc) -> Acc {
    return closed(times(opened(a), opened(b)));
}

fn acc_absolute(a: Acc) -> Acc {
    return closed(absolute(opened(a)));
}

const ACC_WORDS: u32 = 2u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    let words = words_of_kept(value);
    return array<u32, ACC_WORDS>(words.x, words.y);
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return kept_of(vec2<u32>(words[0], words[1]));
}
