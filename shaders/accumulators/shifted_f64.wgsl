// The words of count and sum of distances from a pivot, which are f64.

const ACC_WORDS: u32 = 6u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    let pivot = words_of_f64(value.pivot);
    let sum = words_of_f64(value.sum);
    return array<u32, ACC_WORDS>(
        value.count_low, value.count_high, pivot.x, pivot.y, sum.x, sum.y,
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(
        words[0],
        words[1],
        widen(vec2<u32>(words[2], words[3])),
        widen(vec2<u32>(words[4], words[5])),
    );
}
