// Four words: two keys of two words each.

alias Acc = vec4<u32>;

const ACC_WORDS: u32 = 4u;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    return array<u32, ACC_WORDS>(value.x, value.y, value.z, value.w);
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    return vec4<u32>(words[0], words[1], words[2], words[3]);
}
