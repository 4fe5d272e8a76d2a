// Elements are lifted, and the words of their accumulators merged by a law (laws/).

// The words that are merged, and that are kept of a group.
const MERGED_WORDS: u32 = ACC_WORDS;
const KEPT_WORDS: u32 = ACC_WORDS;

fn take(group: u32, value: Element, index: u32, local: u32) {
    let acc = acc_to_words(lift_one(value, index));
    var kept: array<u32, MERGED_WORDS>;
    var shows = false;
    for (var k = 0u; k < MERGED_WORDS; k++) {
        kept[k] = kept_of(acc[k], k);
        shows = shows || kept[k] != 0u;
    }
    let at = slot_of(group, local);
    _ = merge(at, &kept);
    if (BESIDE == A_COUNT) {
        _ = add_word(at, KEPT_WORDS, 1u);
    } else if (BESIDE == A_SIGN && !shows) {
        see_bits(at, KEPT_WORDS, 1u);
    }
}
