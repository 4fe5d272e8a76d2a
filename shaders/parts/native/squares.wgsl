// Squares of elements, and of numbers with a sign. On many devices a product of two words with all its bits,
// added to a number of 64 bits, is one instruction.

fn wide_square(value: i32) -> u64 {
    let wide = i64(value);
    return bitcast<u64>(wide * wide);
}

fn signed_square(value: i32) -> vec2<u32> {
    return words_of(wide_square(value));
}

fn square(value: Element) -> vec2<u32> {
    return multiply32(magnitude(value), magnitude(value));
}

// The sum of the lower words of four squares, then that of their upper words. Nothing is carried from one to the
// other, which is left to whoever has added up several. Two squares are at most 2^63.
fn open_signed_squares(a: i32, b: i32, c: i32, d: i32) -> vec4<u32> {
    let left = wide_square(a) + wide_square(b);
    let right = wide_square(c) + wide_square(d);
    let low = u64(u32(left)) + u64(u32(right));
    return vec4<u32>(words_of(low), words_of((left >> 32u) + (right >> 32u)));
}

fn open_squares(a: Element, b: Element, c: Element, d: Element) -> vec4<u32> {
    if (HAVE_SIGN) {
        return open_signed_squares(centred(a), centred(b), centred(c), centred(d));
    }
    let of_a = square(a);
    let of_b = square(b);
    let of_c = square(c);
    let of_d = square(d);
    let low = (u64(of_a.x) + u64(of_b.x)) + (u64(of_c.x) + u64(of_d.x));
    let high = (u64(of_a.y) + u64(of_b.y)) + (u64(of_c.y) + u64(of_d.y));
    return vec4<u32>(words_of(low), words_of(high));
}

// The sum of four, 128 bits of it.
fn squares_of_four(a: Element, b: Element, c: Element, d: Element) -> vec4<u32> {
    let open = open_squares(a, b, c, d);
    return vec4<u32>(open.x, add64(open.zw, vec2<u32>(open.y, 0u)), 0u);
}
