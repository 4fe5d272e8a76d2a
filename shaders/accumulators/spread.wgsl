// The sum of integers and the sum of their squares.

alias Acc = Spread;

const ACC_WORDS: u32 = 6u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(
        value.sum_low,
        value.sum_high,
        value.squares_0,
        value.squares_1,
        value.squares_2,
        value.squares_3,
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(
        words[0],
        words[1],
        words[2],
        words[3],
        words[4],
        words[5],
    );
}
