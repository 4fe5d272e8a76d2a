// nan_argmin: as argmin, but NaN stands nowhere.

// The index and the element's bits, each in two words.
alias Output = vec4<u32>;

fn identity() -> Acc {
    return located_nowhere();
}

fn locate(value: Element, index: u32, _which: u32) -> Located {
    if (is_nan(value)) {
        return located_nowhere();
    }
    return Located(order_key(value), index, 0u);
}

// No number has the largest key.
fn key_but_nan(value: Element) -> Bits {
    return select(order_key(value), all_bits(), is_nan(value));
}

fn lift(value: Element, index: u32) -> Acc {
    return locate(value, index, 0u);
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element, index: u32) -> Acc {
    let left = bits_min(key_but_nan(a), key_but_nan(b));
    let right = bits_min(key_but_nan(c), key_but_nan(d));
    return located_append(total, bits_min(left, right), index);
}

// Two of 64 bits.
fn append_pair(total: Acc, a: Element, b: Element, index: u32) -> Acc {
    return located_append(total, bits_min(key_but_nan(a), key_but_nan(b)), index);
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
