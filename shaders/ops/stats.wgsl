// stats: the smallest and the largest key with their places, and the figures that a variance is made of.

// The smallest element's bits and index, the largest one's, then what variance leaves, and nothing.
alias Output = array<u32, 16>;

fn identity() -> Acc {
    return Acc(located_nowhere(), located_nowhere(), figures_of_none());
}

fn locate(value: Element, index: u32, which: u32) -> Located {
    return Located(select(lowest_key(value), highest_key(value), which == 1u), index, 0u);
}

fn lift(value: Element, index: u32) -> Acc {
    return Acc(locate(value, index, 0u), locate(value, index, 1u), figures_of_one(value));
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element, index: u32) -> Acc {
    let keys = keys_of_four(a, b, c, d);
    return Acc(
        located_append(total.lowest, lowest_of_four(keys), index),
        located_append(total.highest, highest_of_four(keys), index),
        figures_append(total.figures, a, b, c, d),
    );
}

// Two, of which each counts once.
fn append_pair(total: Acc, a: Element, b: Element, index: u32) -> Acc {
    let keys = keys_of_four(a, a, b, b);
    return Acc(
        located_append(total.lowest, lowest_of_four(keys), index),
        located_append(total.highest, highest_of_four(keys), index),
        figures_combine(
            total.figures, figures_combine(figures_of_one(a), figures_of_one(b)),
        ),
    );
}

fn combine(a: Acc, b: Acc) -> Acc {
    return Acc(
        located_first(a.lowest, b.lowest),
        located_first(a.highest, b.highest),
        figures_combine(a.figures, b.figures),
    );
}

fn rebase(total: Acc, base: vec2<u32>) -> Acc {
    let lowest = located_rebase(total.lowest, base);
    let highest = located_rebase(total.highest, base);
    return Acc(lowest, highest, total.figures);
}

fn finish(total: Acc) -> Output {
    var words = acc_to_words(total);
    var output = Output();
    for (var i = 0u; i < ACC_WORDS; i++) {
        output[i] = words[i];
    }
    let lowest = bits_to_words(bits_of_key(total.lowest.key));
    let highest = bits_to_words(bits_of_key(~total.highest.key));
    output[0] = lowest.x;
    output[BITS_WORDS - 1u] = lowest[BITS_WORDS - 1u];
    output[PLACE_WORDS] = highest.x;
    output[PLACE_WORDS + BITS_WORDS - 1u] = highest[BITS_WORDS - 1u];
    return output;
}
