// The accumulator arithmetic of f32: its own.

alias Wide = f32;

fn wide_zero() -> Wide {
    return 0.0;
}

fn wide_add(a: Wide, b: Wide) -> Wide {
    return a + b;
}

const WIDE_WORDS: u32 = 1u;

fn wide_to_words(value: Wide) -> array<u32, WIDE_WORDS> {
    return array<u32, WIDE_WORDS>(bitcast<u32>(value));
}

fn wide_from_words(words: array<u32, WIDE_WORDS>) -> Wide {
    return bitcast<f32>(words[0]);
}
