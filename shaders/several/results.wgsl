// Both results, one behind the other.

struct Output {
    first: of_first_Output,
    second: of_second_Output,
}

fn output_of(first: of_first_Output, second: of_second_Output) -> Output {
    return Output(first, second);
}
