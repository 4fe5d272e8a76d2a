// norm_l2 of f32: squares of elements divided by a power of two, which brings the largest of them to
// between 2 and 4. Nothing overflows, and what underflows is too small to count.

// The norm's bits.
alias Output = u32;

// The number with a magnitude's bits, divided by 2^(exponent - 128). Devices may take subnormal numbers
// for 0, so those are made from their digits.
fn scaled(bits: u32, exponent: i32) -> f32 {
    let digits = f32(bits) * power_of_two(-21 - exponent);
    let number = bitcast<f32>(bits) * power_of_two(128 - exponent);
    return select(number, digits, bits < 0x00800000u);
}

// Beside a larger number the square of a subnormal one is less than half a unit in the last place.
const SUBNORMALS_COUNT_BELOW: i32 = 64;

fn identity() -> Acc {
    return Acc(0u, 0.0);
}

fn lift(value: Element) -> Acc {
    let top = magnitude(value);
    let number = scaled(top, exponent_of(top));
    return Acc(top, number * number);
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    let bits = vec4<u32>(magnitude(a), magnitude(b), magnitude(c), magnitude(d));
    let top = max(max(max(bits.x, bits.y), max(bits.z, bits.w)), total.top);
    let exponent = exponent_of(top);
    var numbers = bitcast<vec4<f32>>(bits) * power_of_two(128 - exponent);
    if (exponent < SUBNORMALS_COUNT_BELOW) {
        let left = vec2<f32>(scaled(bits.x, exponent), scaled(bits.y, exponent));
        let right = vec2<f32>(scaled(bits.z, exponent), scaled(bits.w, exponent));
        numbers = vec4<f32>(left, right);
    }
    let squares = numbers * numbers;
    let of_total = total.squares * power_of_two(2 * (exponent_of(total.top) - exponent));
    return Acc(top, of_total + ((squares.x + squares.y) + (squares.z + squares.w)));
}

fn combine(a: Acc, b: Acc) -> Acc {
    let top = max(a.top, b.top);
    let exponent = exponent_of(top);
    let of_a = a.squares * power_of_two(2 * (exponent_of(a.top) - exponent));
    let of_b = b.squares * power_of_two(2 * (exponent_of(b.top) - exponent));
    return Acc(top, of_a + of_b);
}

fn finish(total: Acc) -> Output {
    if (total.top >= 0x7f800000u) {
        return select(total.top, 0x7fc00000u, total.top > 0x7f800000u);
    }
    // A root of zero may be anything.
    if (total.top == 0u) {
        return 0u;
    }
    // In two steps, since either alone may be out of range.
    let exponent = exponent_of(total.top) - 128;
    let half = exponent / 2;
    let norm = sqrt(total.squares) * power_of_two(half) * power_of_two(exponent - half);
    return bitcast<u32>(norm);
}
