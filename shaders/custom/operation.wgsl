// An operator of the user's as the kernels of `axis/` and `segments/` know an operation: what they call `combine`
// has `fold_lib_` before it here. An accumulator that does not exist yet stands for the identity, so that the
// user's `combine` sees values of elements alone.

struct fold_lib_Acc {
    value: FoldAcc,
    exists: u32,
}

const fold_lib_ACC_WORDS: u32 = 5u;

fn fold_lib_acc_to_words(total: fold_lib_Acc) -> array<u32, 5> {
    let words = fold_words_of(total.value);
    return array<u32, 5>(words.x, words.y, words.z, words.w, total.exists);
}

fn fold_lib_acc_from_words(words: array<u32, 5>) -> fold_lib_Acc {
    return fold_lib_Acc(
        fold_value_of(vec4<u32>(words[0], words[1], words[2], words[3])), words[4],
    );
}

fn fold_lib_identity() -> fold_lib_Acc {
    return fold_lib_Acc(fold_value_of(fold_lib_parameters.identity_bits), 0u);
}

fn fold_lib_combine(a: fold_lib_Acc, b: fold_lib_Acc) -> fold_lib_Acc {
    if (a.exists == 0u) {
        return b;
    }
    if (b.exists == 0u) {
        return a;
    }
    return fold_lib_Acc(combine(a.value, b.value), 1u);
}

fn fold_lib_settle(total: fold_lib_Acc) -> fold_lib_Acc {
    return total;
}

fn fold_lib_rebase(total: fold_lib_Acc, _base: vec2<u32>) -> fold_lib_Acc {
    return total;
}

struct fold_lib_Output {
    fields: array<u32, FOLD_RESULT_WORDS>,
}

fn fold_lib_finish(total: fold_lib_Acc) -> fold_lib_Output {
    return fold_lib_Output(fold_result_of(total.value));
}
