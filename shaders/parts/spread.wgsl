// The sum of integers and the sum of their squares, both without loss: 64 and 128 bits.

struct Spread {
    sum_low: u32,
    sum_high: u32,
    squares_0: u32,
    squares_1: u32,
    squares_2: u32,
    squares_3: u32,
}

fn spread_of_none() -> Spread {
    return Spread(0u, 0u, 0u, 0u, 0u, 0u);
}

fn spread_of_one(value: Element) -> Spread {
    let magnitude = magnitude(value);
    let square = multiply32(magnitude, magnitude);
    return Spread(low_word(value), high_word(value), square.x, square.y, 0u, 0u);
}

fn spread_combine(a: Spread, b: Spread) -> Spread {
    let sum = add64(vec2<u32>(a.sum_low, a.sum_high), vec2<u32>(b.sum_low, b.sum_high));
    let squares = add128(
        vec4<u32>(a.squares_0, a.squares_1, a.squares_2, a.squares_3),
        vec4<u32>(b.squares_0, b.squares_1, b.squares_2, b.squares_3),
    );
    return Spread(sum.x, sum.y, squares.x, squares.y, squares.z, squares.w);
}
