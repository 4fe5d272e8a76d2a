// variance of f32, before it is divided: count, mean and sum of squared deviations.

// The count, the pivot's bits, those of the mean's distance from it, those of the squares, and nothing.
alias Output = array<u32, 8>;

fn identity() -> Acc {
    return moments_of_none();
}

fn lift(value: Element, _index: u32) -> Acc {
    return moments_of_one(value);
}

fn lift_four(a: Element, b: Element, c: Element, d: Element, _index: u32) -> Acc {
    return moments_of_four(vec4<f32>(a, b, c, d));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return moments_combine(a, b);
}

fn rebase(total: Acc, _base: vec2<u32>) -> Acc {
    return total;
}

fn finish(total: Acc) -> Output {
    let words = acc_to_words(total);
    return Output(words[0], words[1], words[2], words[3], words[4], 0u, 0u, 0u);
}
