// variance, before it is divided: of f32 count, mean and sum of squared deviations, of integers sums
// that both follow from.

// The figures, and nothing.
struct Output {
    fields: array<u32, 8>,
}

fn identity() -> Acc {
    return figures_of_none();
}

fn lift(value: Element) -> Acc {
    return figures_of_one(value);
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    return figures_append(total, a, b, c, d);
}

fn append_pair(total: Acc, a: Element, b: Element) -> Acc {
    return figures_append_pair(total, a, b);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return figures_combine(a, b);
}

fn finish(total: Acc) -> Output {
    var words = acc_to_words(total);
    var fields = array<u32, 8>();
    for (var i = 0u; i < ACC_WORDS; i++) {
        fields[i] = words[i];
    }
    return Output(fields);
}
