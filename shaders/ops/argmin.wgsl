// argmin: the smallest key, and where it first stands. NaN has one below all numbers.

// The index and the element's bits, each in two words.
alias Output = vec4<u32>;

fn identity() -> Acc {
    return located_nowhere();
}

fn locate(value: Element, index: u32, _which: u32) -> Located {
    return Located(lowest_key(value), index, 0u);
}

fn lift(value: Element, index: u32) -> Acc {
    return locate(value, index, 0u);
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element, index: u32) -> Acc {
    return located_append(total, lowest_of_four(keys_of_four(a, b, c, d)), index);
}

// Two of 64 bits.
fn append_pair(total: Acc, a: Element, b: Element, index: u32) -> Acc {
    return located_append(total, bits_min(lowest_key(a), lowest_key(b)), index);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return located_first(a, b);
}

fn rebase(total: Acc, base: vec2<u32>) -> Acc {
    return located_rebase(total, base);
}

fn finish(total: Acc) -> Output {
    return located_output(total, bits_of_key(total.key));
}
