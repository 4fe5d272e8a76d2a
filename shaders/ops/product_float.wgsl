// product of floats.

alias Output = Kept;

fn identity() -> Acc {
    return nothing_multiplied();
}

fn lift(value: Element) -> Acc {
    return taken_apart(value);
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    return multiplied(total, multiplied_four(a, b, c, d));
}

fn append_pair(total: Acc, a: Element, b: Element) -> Acc {
    return multiplied(total, multiplied_two(a, b));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return multiplied(a, b);
}

// In two steps, since either alone may be out of range.
fn finish(total: Acc) -> Output {
    let exponent = near_exponent(total);
    let half = exponent / 2;
    let product = times(times(opened(total.significand), power_of_two(half)), power_of_two(exponent - half));
    return closed(product);
}
