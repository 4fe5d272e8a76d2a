// A key and its index.

alias Acc = Located;

const ACC_WORDS: u32 = 3u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(
        value.key,
        value.index_low,
        value.index_high,
    );
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return Acc(
        words[0],
        words[1],
        words[2],
    );
}
