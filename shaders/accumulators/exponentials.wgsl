// The largest element, and a sum of exponentials of distances from it. None of these is above 1, so nothing overflows, and what
// underflows is too small to count.

struct Acc {
    // The key of the largest element; 0 where there is none.
    top: u32,
    sum: f32,
}

const ACC_WORDS: u32 = 2u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(
        value.top,
        bitcast<u32>(value.sum),
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(
        words[0],
        bitcast<f32>(words[1]),
    );
}
