// norm_l2 of f64, before the root: as norm_l2_f32.wgsl, squares of elements divided by a power of two, which
// brings the largest of them to between 2 and 4.

// The bits of the largest magnitude, then those of the sum of squares.
struct Output {
    fields: array<u32, 4>,
}

// The number with a magnitude's bits, divided by 2^(exponent - 1024). Devices may take subnormal numbers
// for 0, so those are made from their digits.
fn scaled(bits: vec2<u32>, exponent: i32) -> Real {
    if (bits.y < 0x00100000u) {
        return times(real_of_words(bits), power_of_two(-50 - exponent));
    }
    return times(opened(kept_of(bits)), power_of_two(1024 - exponent));
}

fn identity() -> Acc {
    return Acc(vec2<u32>(0u, 0u), closed(real(0.0)));
}

fn lift(value: Element) -> Acc {
    let top = magnitude(value);
    let number = scaled(top, exponent_of(top));
    return Acc(top, closed(times(number, number)));
}

fn combine(a: Acc, b: Acc) -> Acc {
    let top = bits_max(a.top, b.top);
    let exponent = exponent_of(top);
    let of_a = times(opened(a.squares), power_of_two(2 * (exponent_of(a.top) - exponent)));
    let of_b = times(opened(b.squares), power_of_two(2 * (exponent_of(b.top) - exponent)));
    return Acc(top, closed(plus(of_a, of_b)));
}

fn finish(total: Acc) -> Output {
    return Output(acc_to_words(total));
}
