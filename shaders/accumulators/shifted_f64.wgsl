// The words of count and sum of distances from a pivot, which are f64.

const ACC_WORDS: u32 = 6u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    let pivot = words_of_kept(value.pivot);
    let sum = words_of_kept(value.sum);
    return array<u32, ACC_WORDS>(
        value.count_low, value.count_high, pivot.x, pivot.y, sum.x, sum.y,
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(
        words[0],
        words[1],
        kept_of(vec2<u32>(words[2], words[3])),
        kept_of(vec2<u32>(words[4], words[5])),
    );
}
