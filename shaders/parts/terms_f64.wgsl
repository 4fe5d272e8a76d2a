// Elements of f64 in a window (parts/wide_window.wgsl), as words, on devices with f64 and without.
//
// The base of a window is 1 to 2024. So neither subnormal numbers, whose exponent is 0, ever fit, nor infinities and
// NaNs, whose exponent is 2047. Zeros are taken.

// Two elements, the lower word of each first.
alias Terms = vec4<u32>;

// The sums of a part of a tile.
struct TileSums {
    low: u32,
    middle: u32,
    high: i32,
    negatives: u32,
    // How far above the base an exponent was, at most; below it counts as very far above.
    farthest: u32,
    // Not 0 if there was something besides -0.
    others: u32,
}

fn empty_tile() -> TileSums {
    return TileSums();
}

// Adds two elements. Of one that does not fit, what is shifted and how far is of no use; it is only noted.
fn add_terms(tile: ptr<function, TileSums>, quad: Terms, base: u32) {
    let lower = quad.xz;
    let upper = quad.yw;
    // Zeros are taken as if they had the least exponent, and no leading bit.
    let is_zero = ((upper << vec2(1u)) | lower) == vec2<u32>();
    let exponents = select(upper & vec2(EXPONENT), vec2(base), is_zero);
    let significand = select((upper & vec2(FRACTION)) | vec2(LEADING), vec2<u32>(), is_zero);
    let others = (upper ^ vec2(SIGN)) | lower;
    (*tile).others |= others.x | others.y;
    let above = exponents - vec2(base);
    let up = above >> vec2(EXPONENT_SHIFT);
    let sign = bitcast<vec2<u32>>(bitcast<vec2<i32>>(upper) >> vec2(31u));
    let low = (lower << up) ^ sign;
    let middle = ((lower >> (vec2(27u) - up)) | (significand << (vec2(5u) + up))) ^ sign;
    let high = (significand >> (vec2(22u) - up)) ^ sign;
    (*tile).low += low.x + low.y;
    (*tile).middle += middle.x + middle.y;
    (*tile).high += i32(high.x) + i32(high.y);
    // A sign is -1 or 0.
    (*tile).negatives -= sign.x + sign.y;
    (*tile).farthest = max((*tile).farthest, max(above.x, above.y));
}

fn fits(tile: TileSums) -> bool {
    return tile.farthest <= SPAN;
}

fn flags_of(tile: TileSums) -> u32 {
    return select(0u, NOT_NEGATIVE_ZERO, tile.others != 0u);
}

// The larger exponent of two elements, in its place.
fn largest(quad: Terms) -> u32 {
    return max(quad.y & EXPONENT, quad.w & EXPONENT);
}
