// sum_of_squares_integer: sum_of_squares of integers, and norm_l2 before its root: no bit is lost.

alias Output = Acc;

fn identity() -> Acc {
    return acc_zero();
}

fn lift(value: Element) -> Acc {
    return vec4<u32>(square(value), 0u, 0u);
}

fn lift_four(a: Element, b: Element, c: Element, d: Element) -> Acc {
    return squares_of_four(a, b, c, d);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

fn finish(total: Acc) -> Output {
    return total;
}
