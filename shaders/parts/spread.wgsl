// The sum of integers and the sum of their squares, both without loss: 64 and 128 bits. Or rather, the sum of
// keys, which extremes need anyway: numbers with a sign have 2^31 added there, and no sign is to be extended.
// And the sum of the squares of the same numbers less 2^31, of which two fit 64 bits. The host, which knows how
// many there are, makes the sums of the numbers of both.

struct Figures {
    sum_low: u32,
    sum_high: u32,
    squares_0: u32,
    squares_1: u32,
    squares_2: u32,
    squares_3: u32,
}

const FIGURES_WORDS: u32 = 6u;

fn figures_to_words(value: Figures) -> array<u32, FIGURES_WORDS> {
    return array<u32, FIGURES_WORDS>(
        value.sum_low,
        value.sum_high,
        value.squares_0,
        value.squares_1,
        value.squares_2,
        value.squares_3,
    );
}

fn figures_from_words(words: array<u32, FIGURES_WORDS>) -> Figures {
    return Figures(words[0], words[1], words[2], words[3], words[4], words[5]);
}

fn figures_of(sum: vec2<u32>, squares: vec4<u32>) -> Figures {
    return Figures(sum.x, sum.y, squares.x, squares.y, squares.z, squares.w);
}

fn sum_of(figures: Figures) -> vec2<u32> {
    return vec2<u32>(figures.sum_low, figures.sum_high);
}

fn squares_of(figures: Figures) -> vec4<u32> {
    let low = vec2<u32>(figures.squares_0, figures.squares_1);
    return vec4<u32>(low, figures.squares_2, figures.squares_3);
}

fn figures_of_none() -> Figures {
    return Figures(0u, 0u, 0u, 0u, 0u, 0u);
}

fn figures_of_one(value: Element) -> Figures {
    let squares = signed_square(centred(value));
    return figures_of(vec2<u32>(order_key(value), 0u), vec4<u32>(squares, 0u, 0u));
}

fn figures_append_pair(total: Figures, a: Element, b: Element) -> Figures {
    return figures_combine(total, figures_combine(figures_of_one(a), figures_of_one(b)));
}

// Appends elements of a tile, whose squares add up to less than 2^96: what the lowest words carry goes to a number of 64 bits.
fn figures_append(total: Figures, a: Element, b: Element, c: Element, d: Element) -> Figures {
    let left = add64(vec2<u32>(order_key(a), 0u), vec2<u32>(order_key(b), 0u));
    let right = add64(vec2<u32>(order_key(c), 0u), vec2<u32>(order_key(d), 0u));
    let sum = add64(sum_of(total), add64(left, right));
    let squares = open_signed_squares(centred(a), centred(b), centred(c), centred(d));
    let lower = add64(vec2<u32>(total.squares_0, 0u), squares.xy);
    let upper = add64(vec2<u32>(total.squares_1, total.squares_2), squares.zw);
    return figures_of(sum, vec4<u32>(lower.x, add64(upper, vec2<u32>(lower.y, 0u)), 0u));
}

fn figures_combine(a: Figures, b: Figures) -> Figures {
    return figures_of(
        add64(sum_of(a), sum_of(b)), add128(squares_of(a), squares_of(b)),
    );
}
