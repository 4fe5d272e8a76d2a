// stats of integers: the smallest and the largest key with their indices, and the sums.

// The smallest element's bits and index, the largest one's, then what variance leaves, and nothing.
alias Output = array<u32, 16>;

fn identity() -> Acc {
    return Acc(located_nowhere(), located_nowhere(), spread_of_none());
}

fn lift(value: Element, index: u32) -> Acc {
    let key = order_key(value);
    let nan = is_nan(value);
    let lowest = Located(select(key, 0u, nan), index, 0u);
    let highest = Located(select(~key, 0u, nan), index, 0u);
    return Acc(lowest, highest, spread_of_one(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return Acc(
        located_first(a.lowest, b.lowest),
        located_first(a.highest, b.highest),
        spread_combine(a.spread, b.spread),
    );
}

fn rebase(total: Acc, base: vec2<u32>) -> Acc {
    let lowest = located_rebase(total.lowest, base);
    let highest = located_rebase(total.highest, base);
    return Acc(lowest, highest, total.spread);
}

fn finish(total: Acc) -> Output {
    let words = acc_to_words(total);
    var output = Output();
    for (var i = 0u; i < ACC_WORDS; i++) {
        output[i] = words[i];
    }
    output[0] = bits_of_key(total.lowest.key);
    output[3] = bits_of_key(~total.highest.key);
    return output;
}
