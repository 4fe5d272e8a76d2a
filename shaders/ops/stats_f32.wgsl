// stats of f32: the smallest and the largest key with their indices, and the moments.

// The smallest element's bits and index, the largest one's, then what variance leaves, and nothing.
alias Output = array<u32, 16>;

fn identity() -> Acc {
    return Acc(located_nowhere(), located_nowhere(), moments_of_none());
}

struct Extremes {
    lowest: Located,
    highest: Located,
}

fn extremes_of(value: Element, index: u32) -> Extremes {
    let key = order_key(value);
    let nan = is_nan(value);
    let lowest = Located(select(key, 0u, nan), index, 0u);
    let highest = Located(select(~key, 0u, nan), index, 0u);
    return Extremes(lowest, highest);
}

fn extremes(a: Extremes, b: Extremes) -> Extremes {
    return Extremes(located_first(a.lowest, b.lowest), located_first(a.highest, b.highest));
}

fn lift(value: Element, index: u32) -> Acc {
    let one = extremes_of(value, index);
    return Acc(one.lowest, one.highest, moments_of_one(value));
}

fn lift_four(a: Element, b: Element, c: Element, d: Element, index: u32) -> Acc {
    let left = extremes(extremes_of(a, index), extremes_of(b, index + 1u));
    let right = extremes(extremes_of(c, index + 2u), extremes_of(d, index + 3u));
    let all = extremes(left, right);
    return Acc(all.lowest, all.highest, moments_of_four(vec4<f32>(a, b, c, d)));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return Acc(
        located_first(a.lowest, b.lowest),
        located_first(a.highest, b.highest),
        moments_combine(a.moments, b.moments),
    );
}

fn rebase(total: Acc, base: vec2<u32>) -> Acc {
    let lowest = located_rebase(total.lowest, base);
    let highest = located_rebase(total.highest, base);
    return Acc(lowest, highest, total.moments);
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
