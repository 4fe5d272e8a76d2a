// A sum of f64, and how many have been added.

struct Acc {
    sum: f64,
    count_low: u32,
    count_high: u32,
}

const ACC_WORDS: u32 = 4u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    let sum = words_of_f64(value.sum);
    return array<u32, ACC_WORDS>(value.count_low, value.count_high, sum.x, sum.y);
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(widen(vec2<u32>(words[2], words[3])), words[0], words[1]);
}
