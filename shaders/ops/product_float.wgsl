// product of floats.

alias Output = Real;

fn identity() -> Acc {
    return product_of_none();
}

fn lift(value: Element) -> Acc {
    return taken_apart(value);
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    return multiplied(total, product_of_four(a, b, c, d));
}

fn combine(a: Acc, b: Acc) -> Acc {
    return multiplied(a, b);
}

// In two steps, since either alone may be out of range.
fn finish(total: Acc) -> Output {
    let exponent = near_exponent(total);
    let half = exponent / 2;
    return total.significand * power_of_two(half) * power_of_two(exponent - half);
}
