// Two words: two keys, or one of 64 bits or as many bits of a set.

alias Acc = vec2<u32>;

const ACC_WORDS: u32 = 2u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(value.x, value.y);
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return vec2<u32>(words[0], words[1]);
}
