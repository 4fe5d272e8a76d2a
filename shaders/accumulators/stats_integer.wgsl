// Smallest and largest integer with their indices, and the sums of numbers and squares.

struct Acc {
    lowest: Located,
    highest: Located,
    spread: Spread,
}

const ACC_WORDS: u32 = 12u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(
        value.lowest.key,
        value.lowest.index_low,
        value.lowest.index_high,
        value.highest.key,
        value.highest.index_low,
        value.highest.index_high,
        value.spread.sum_low,
        value.spread.sum_high,
        value.spread.squares_0,
        value.spread.squares_1,
        value.spread.squares_2,
        value.spread.squares_3,
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    let lowest = Located(words[0], words[1], words[2]);
    let highest = Located(words[3], words[4], words[5]);
    let spread = Spread(
        words[6], words[7], words[8], words[9], words[10], words[11],
    );
    return Acc(lowest, highest, spread);
}
