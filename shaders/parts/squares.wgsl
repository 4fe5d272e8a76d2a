// Squares of elements, and of numbers with a sign.

fn square(value: Element) -> vec2<u32> {
    return multiply32(magnitude(value), magnitude(value));
}

fn signed_square(value: i32) -> vec2<u32> {
    let sign = bitcast<u32>(value >> 31u);
    let without_sign = (bitcast<u32>(value) ^ sign) - sign;
    return multiply32(without_sign, without_sign);
}

// The sum of the lower words of four numbers of 64 bits, then that of their upper words. Nothing is carried from
// one to the other, which is left to whoever has added up several.
fn open_sum(a: vec2<u32>, b: vec2<u32>, c: vec2<u32>, d: vec2<u32>) -> vec4<u32> {
    let low = add64(
        add64(vec2<u32>(a.x, 0u), vec2<u32>(b.x, 0u)), add64(vec2<u32>(c.x, 0u), vec2<u32>(d.x, 0u)),
    );
    let high = add64(
        add64(vec2<u32>(a.y, 0u), vec2<u32>(b.y, 0u)), add64(vec2<u32>(c.y, 0u), vec2<u32>(d.y, 0u)),
    );
    return vec4<u32>(low, high);
}

fn open_signed_squares(a: i32, b: i32, c: i32, d: i32) -> vec4<u32> {
    return open_sum(signed_square(a), signed_square(b), signed_square(c), signed_square(d));
}

// The sum of four, 128 bits of it.
fn squares_of_four(a: Element, b: Element, c: Element, d: Element) -> vec4<u32> {
    let open = open_sum(square(a), square(b), square(c), square(d));
    return vec4<u32>(open.x, add64(open.zw, vec2<u32>(open.y, 0u)), 0u);
}
