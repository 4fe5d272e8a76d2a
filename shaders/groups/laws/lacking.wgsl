// The identity's bits are kept that an accumulator lacks.

fn identity_word(k: u32) -> u32 {
    var of_identity = acc_to_words(identity());
    return of_identity[k];
}

fn kept_of(word: u32, k: u32) -> u32 {
    return identity_word(k) & ~word;
}

fn word_from(kept: u32, k: u32) -> u32 {
    return identity_word(k) & ~kept;
}
