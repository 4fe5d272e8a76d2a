// stats: the smallest and the largest key with their places, and the figures that a variance is made of.
//
// NaN shows at one end of the keys, by its sign, and until `finish` at that end alone: a NaN with a sign is the
// smallest then, one without the largest. What both ends are in the end is the first NaN of all, if there is one.

// The smallest element's bits and index, the largest one's, then what variance leaves, and nothing.
struct Output {
    fields: array<u32, 16>,
}

fn identity() -> Acc {
    return Acc(located_nowhere(), located_nowhere(), figures_of_none());
}

fn locate(value: Element, index: u32, which: u32) -> Located {
    let key = order_key(value);
    return Located(select(floored_key(key), ~capped_key(key), which == 1u), index, 0u);
}

fn lift(value: Element, index: u32) -> Acc {
    return Acc(locate(value, index, 0u), locate(value, index, 1u), figures_of_one(value));
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element, index: u32) -> Acc {
    let keys = keys_of_four(a, b, c, d);
    return Acc(
        located_append(total.lowest, floored_key(keys.least), index),
        located_append(total.highest, ~capped_key(keys.most), index),
        figures_append(total.figures, a, b, c, d),
    );
}

// Two, of which each counts once.
fn append_pair(total: Acc, a: Element, b: Element, index: u32) -> Acc {
    let left = order_key(a);
    let right = order_key(b);
    return Acc(
        located_append(total.lowest, floored_key(bits_min(left, right)), index),
        located_append(total.highest, ~capped_key(bits_max(left, right)), index),
        figures_append_pair(total.figures, a, b),
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

// Both ends at the first NaN, if there is one.
fn united(total: Acc) -> Acc {
    let has_low = is_nan_key(total.lowest.key);
    let has_high = is_nan_key(~total.highest.key);
    if (!has_low && !has_high) {
        return total;
    }
    let low = total.lowest;
    let high = total.highest;
    let first = located_first(
        Located(select(all_bits(), no_bits(), has_low), low.index_low, low.index_high),
        Located(select(all_bits(), no_bits(), has_high), high.index_low, high.index_high),
    );
    return Acc(first, first, total.figures);
}

fn finish(all: Acc) -> Output {
    let total = united(all);
    var words = acc_to_words(total);
    var fields = array<u32, 16>();
    for (var i = 0u; i < ACC_WORDS; i++) {
        fields[i] = words[i];
    }
    let lowest = bits_to_words(bits_of_key(total.lowest.key));
    let highest = bits_to_words(bits_of_key(~total.highest.key));
    fields[0] = lowest.x;
    fields[BITS_WORDS - 1u] = lowest[BITS_WORDS - 1u];
    fields[PLACE_WORDS] = highest.x;
    fields[PLACE_WORDS + BITS_WORDS - 1u] = highest[BITS_WORDS - 1u];
    return Output(fields);
}
