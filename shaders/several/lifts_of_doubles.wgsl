// Elements of 64 bits, of which a quad has two.

fn append_two(total: Acc, a: Element, b: Element, index: u32) -> Acc {
    return Acc(
        of_first_append_two(total.first, a, b, index),
        of_second_append_two(total.second, a, b, index),
    );
}
