// argmax: the largest key, turned round so that the smallest counts. NaN has one below all numbers.

// The index and the element's bits, each in two words.
alias Output = vec4<u32>;

fn identity() -> Acc {
    return located_nowhere();
}

fn lift(value: Element, index: u32) -> Acc {
    return Located(select(~order_key(value), no_bits(), is_nan(value)), index, 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return located_first(a, b);
}

fn rebase(total: Acc, base: vec2<u32>) -> Acc {
    return located_rebase(total, base);
}

fn finish(total: Acc) -> Output {
    return located_output(total, bits_of_key(~total.key));
}
