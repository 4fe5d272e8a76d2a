// Both results, and as many words behind them that there is a power of two.

struct Output {
    first: of_first_Output,
    second: of_second_Output,
    padding: array<u32, PADDING_WORDS>,
}

fn output_of(first: of_first_Output, second: of_second_Output) -> Output {
    return Output(first, second, array<u32, PADDING_WORDS>());
}
