// One word, for which WGSL has its own operators: an integer modulo 2^32, a key, a set of bits.

alias Acc = u32;

fn acc_zero() -> Acc {
    return 0u;
}

fn acc_add(a: Acc, b: Acc) -> Acc {
    return a + b;
}

const ACC_WORDS: u32 = 1u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(value);
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return words[0];
}
