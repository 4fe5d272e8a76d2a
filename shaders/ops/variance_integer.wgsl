// variance of integers, before it is divided: their sum and that of their squares.

// The sum, the squares' four words, and nothing.
alias Output = array<u32, 8>;

fn identity() -> Acc {
    return spread_of_none();
}

fn lift(value: Element) -> Acc {
    return spread_of_one(value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return spread_combine(a, b);
}

fn finish(total: Acc) -> Output {
    let words = acc_to_words(total);
    return Output(words[0], words[1], words[2], words[3], words[4], words[5], 0u, 0u);
}
