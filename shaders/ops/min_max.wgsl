// min_max: the smallest key, and the largest one turned round, so that of both the smaller counts. NaN
// is below all others in either.

alias Output = vec2<u32>;

fn identity() -> Acc {
    return vec2<u32>(0xffffffffu, 0xffffffffu);
}

fn lift(value: Element) -> Acc {
    let key = order_key(value);
    return select(vec2<u32>(key, ~key), vec2<u32>(0u, 0u), is_nan(value));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return min(a, b);
}

fn finish(total: Acc) -> Output {
    return vec2<u32>(word_of_key(total.x), word_of_key(~total.y));
}
