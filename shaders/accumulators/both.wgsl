// The accumulators of two operations, side by side: one may have to begin at a multiple of 8 or 16 bytes.

struct Acc {
    first: of_first_Acc,
    second: of_second_Acc,
}

const ACC_WORDS: u32 = of_first_ACC_WORDS + of_second_ACC_WORDS;

fn acc_to_words(value: Acc) -> array<u32, ACC_WORDS> {
    var first = of_first_acc_to_words(value.first);
    var second = of_second_acc_to_words(value.second);
    var words: array<u32, ACC_WORDS>;
    for (var i = 0u; i < of_first_ACC_WORDS; i++) {
        words[i] = first[i];
    }
    for (var i = 0u; i < of_second_ACC_WORDS; i++) {
        words[of_first_ACC_WORDS + i] = second[i];
    }
    return words;
}

fn acc_from_words(words: array<u32, ACC_WORDS>) -> Acc {
    var copied = words;
    var first: array<u32, of_first_ACC_WORDS>;
    var second: array<u32, of_second_ACC_WORDS>;
    for (var i = 0u; i < of_first_ACC_WORDS; i++) {
        first[i] = copied[i];
    }
    for (var i = 0u; i < of_second_ACC_WORDS; i++) {
        second[i] = copied[of_first_ACC_WORDS + i];
    }
    return Acc(of_first_acc_from_words(first), of_second_acc_from_words(second));
}
