// nan_argmax: as argmax, but NaN stands nowhere.

// The index and the element's bits, each in two words.
alias Output = vec4<u32>;

fn identity() -> Acc {
    return located_nowhere();
}

fn lift(value: Element, index: u32) -> Acc {
    if (is_nan(value)) {
        return identity();
    }
    return Located(~order_key(value), index, 0u);
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
