// f32: one word, rounding at every addition.

alias Acc = f32;

fn widen(value: Element) -> Acc {
    return value;
}

fn acc_zero() -> Acc {
    return 0.0;
}

fn acc_add(a: Acc, b: Acc) -> Acc {
    return a + b;
}

fn acc_times(a: Acc, b: Acc) -> Acc {
    return a * b;
}

fn acc_absolute(a: Acc) -> Acc {
    return abs(a);
}

const ACC_WORDS: u32 = 1u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(bitcast<u32>(value));
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return bitcast<f32>(words[0]);
}
