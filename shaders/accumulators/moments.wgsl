// Count, mean and sum of squared deviations.

alias Acc = Moments;

const ACC_WORDS: u32 = 5u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(
        value.count_low,
        value.count_high,
        bitcast<u32>(value.pivot),
        bitcast<u32>(value.rest),
        bitcast<u32>(value.squares),
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(
        words[0],
        words[1],
        bitcast<f32>(words[2]),
        bitcast<f32>(words[3]),
        bitcast<f32>(words[4]),
    );
}
