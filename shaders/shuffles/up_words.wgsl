// The other direction, of accumulators that are a struct, word by word.

fn shuffle_up(value: Acc, distance: u32) -> Acc {
    var words = acc_to_words(value);
    for (var i = 0u; i < ACC_WORDS; i++) {
        words[i] = subgroupShuffleUp(words[i], distance);
    }
    return acc_from_words(words);
}
