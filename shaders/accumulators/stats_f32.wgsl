// Smallest and largest element of f32 with their indices, and the moments.

struct Acc {
    lowest: Located,
    highest: Located,
    moments: Moments,
}

const ACC_WORDS: u32 = 11u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(
        value.lowest.key,
        value.lowest.index_low,
        value.lowest.index_high,
        value.highest.key,
        value.highest.index_low,
        value.highest.index_high,
        value.moments.count_low,
        value.moments.count_high,
        bitcast<u32>(value.moments.pivot),
        bitcast<u32>(value.moments.rest),
        bitcast<u32>(value.moments.squares),
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    let lowest = Located(words[0], words[1], words[2]);
    let highest = Located(words[3], words[4], words[5]);
    let moments = Moments(
        words[6], words[7], bitcast<f32>(words[8]), bitcast<f32>(words[9]), bitcast<f32>(words[10]),
    );
    return Acc(lowest, highest, moments);
}
