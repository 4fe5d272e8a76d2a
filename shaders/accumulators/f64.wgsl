// f64, rounding at every addition: two words where it is handed over.

alias Acc = f64;

fn acc_zero() -> Acc {
    return 0.0;
}

fn acc_add(a: Acc, b: Acc) -> Acc {
    return a + b;
}

const ACC_WORDS: u32 = 2u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    let words = words_of_f64(value);
    return array<u32, ACC_WORDS>(words.x, words.y);
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return widen(vec2<u32>(words[0], words[1]));
}
