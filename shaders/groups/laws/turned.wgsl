// Words of keys, of which the largest is kept: where the smallest counts they are turned round, so that the identity is zero.

override SMALLEST: bool = true;

// Words of an index that lie before the keys. The lower one is part of the key, as its last word; the upper one is always 0, and
// not kept.
override INDEX_WORDS: u32 = 0u;

fn is_upper_index(k: u32) -> bool {
    return INDEX_WORDS != 0u && k == 1u;
}

fn kept_of(word: u32, k: u32) -> u32 {
    return select(select(word, ~word, SMALLEST), 0u, is_upper_index(k));
}

fn word_from(kept: u32, k: u32) -> u32 {
    return select(select(kept, ~kept, SMALLEST), 0u, is_upper_index(k));
}
