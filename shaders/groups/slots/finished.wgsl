// An accumulator is made of the words that are kept of it.

const KEPT_WORDS: u32 = ACC_WORDS;

fn acc_at(group: u32) -> Acc {
    let first = total_of(group);
    var of_acc: array<u32, ACC_WORDS>;
    for (var k = 0u; k < ACC_WORDS; k++) {
        of_acc[k] = word_from(totals[first + k], k);
    }
    return acc_from_words(of_acc);
}
