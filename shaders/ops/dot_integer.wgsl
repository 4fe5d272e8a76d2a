// dot of integers: no bit of a product is lost.

alias Output = Acc;

fn identity() -> Acc {
    return acc_zero();
}

// As numbers without a sign, words are too large by 2^32 where the number is negative: what that adds to
// the upper word of the product is the other word. Of signed numbers the sign goes through all words above.
fn lift(value: Element, partner: Element) -> Acc {
    let product = multiply32(low_word(value), low_word(partner));
    let too_much =
        (high_word(value) & low_word(partner)) + (high_word(partner) & low_word(value));
    let upper = product.y - too_much;
    let sign = bitcast<u32>(bitcast<i32>(upper) >> 31u) & (high_word(value) | high_word(partner));
    return vec4<u32>(product.x, upper, sign, sign);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
