// Two operations over the same elements. Names that both may have, or the pair, begin with `of_first_` and `of_second_` in
// theirs. The second may be a pair itself.

fn identity() -> Acc {
    return Acc(of_first_identity(), of_second_identity());
}

fn combine(a: Acc, b: Acc) -> Acc {
    return Acc(of_first_combine(a.first, b.first), of_second_combine(a.second, b.second));
}

fn finish(total: Acc) -> Output {
    return output_of(of_first_finish(total.first), of_second_finish(total.second));
}
