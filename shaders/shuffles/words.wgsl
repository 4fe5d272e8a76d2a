// Accumulators that are a struct, shuffled word by word.

fn shuffle_down(value: Acc, distance: u32) -> Acc {
    var words = acc_to_words(value);
    for (var i = 0u; i < ACC_WORDS; i++) {
        words[i] = subgroupShuffleDown(words[i], distance);
    }
    return acc_from_words(words);
}
