// A key and its index.

alias Acc = Located;

const ACC_WORDS: u32 = BITS_WORDS + 2u;

// The key's words are the last; it may have one only.
fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    let key = bits_to_words(value.key);
    var words = array<u32, ACC_WORDS>();
    words[0] = value.index_low;
    words[1] = value.index_high;
    words[2] = key.x;
    words[ACC_WORDS - 1u] = key[BITS_WORDS - 1u];
    return words;
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    let key = bits_from_words(vec2<u32>(words[2], words[ACC_WORDS - 1u]));
    return Acc(key, words[0], words[1]);
}
