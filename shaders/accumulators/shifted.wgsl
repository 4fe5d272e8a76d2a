// The words of count and sum of distances from a pivot, which are f32.

const ACC_WORDS: u32 = 4u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(
        value.count_low,
        value.count_high,
        bitcast<u32>(value.pivot),
        bitcast<u32>(value.sum),
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(
        words[0],
        words[1],
        bitcast<f32>(words[2]),
        bitcast<f32>(words[3]),
    );
}
