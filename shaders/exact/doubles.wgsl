// Elements of f64 as the terms of an exact sum: words, on devices with f64 and without.

// The base of a window is 1 to 2024. So neither subnormal numbers, whose exponent is 0, ever fit, nor infinities and
// NaNs, whose exponent is 2047. Zeros are taken.

// Exponents, of which the least is 1, are one above places.
const FIRST_EXPONENT: u32 = 1u;

// Two elements, the lower word of each first.
alias Terms = vec4<u32>;

fn terms_at(quad: u32) -> Terms {
    return quads[quad];
}

// The sums of a part of a tile.
struct Tile {
    low: u32,
    middle: u32,
    high: i32,
    negatives: u32,
    // How far above the base an exponent was, at most; below it counts as very far above.
    farthest: u32,
    // Not 0 if there was something besides -0.
    others: u32,
}

fn empty_tile() -> Tile {
    return Tile();
}

// Adds two elements. Of one that does not fit, what is shifted and how far is of no use; it is only noted.
fn add_terms(tile: ptr<function, Tile>, quad: Terms, base: u32) {
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

fn fits(tile: Tile) -> bool {
    return tile.farthest <= SPAN;
}

fn flags_of(tile: Tile) -> u32 {
    return select(0u, NOT_NEGATIVE_ZERO, tile.others != 0u);
}

fn with_tile(windows: Windows, tile: Tile) -> Windows {
    return add_parts(windows, tile.low, tile.middle, tile.high, tile.negatives);
}

// The larger exponent of two elements, in its place.
fn largest(quad: Terms) -> u32 {
    return max(quad.y & EXPONENT, quad.w & EXPONENT);
}

// An empty window for elements with exponents up to `top`.
fn windows_below(top: u32) -> Windows {
    let least = 23u << EXPONENT_SHIFT;
    let most = 2046u << EXPONENT_SHIFT;
    return Window(clamp(top + (MARGIN << EXPONENT_SHIFT), least, most) - SPAN, 0u, 0u, 0);
}

// Zeros alone move no window.
fn windows_moved(windows: Windows, top: u32) -> Windows {
    var moved = windows_below(top);
    if (top == 0u) {
        moved.base = windows.base;
    }
    return moved;
}

fn put_at(at: u32) -> u32 {
    return put(words[2u * at], words[2u * at + 1u]);
}

fn put_terms(quad: Terms) -> u32 {
    return put(quad.x, quad.y) | put(quad.z, quad.w);
}

// Bin b has its lowest bit at place 4 * b, in units of 2^-1074. Elements of either sign are added to two bins, 28 bits
// to each. The highest bin is for the last piece of the highest window.
const BINS: u32 = 524u;

// Adds an element. What it is besides a number is returned.
fn put(lower: u32, upper: u32) -> u32 {
    let magnitude = upper & ~SIGN;
    if (magnitude >= EXPONENT) {
        let infinity = select(POSITIVE_INFINITY, NEGATIVE_INFINITY, upper > SIGN);
        return select(infinity, NOT_A_NUMBER, magnitude > EXPONENT || lower != 0u);
    }
    // Subnormal numbers have the exponent of the least normal ones, and no leading bit.
    let place = max(magnitude >> EXPONENT_SHIFT, 1u) - 1u;
    let significand = (upper & FRACTION) | select(0u, LEADING, magnitude >= LEADING);
    // Many zeros would wait for each other.
    if ((significand | lower) != 0u) {
        put_words(place, lower, significand, upper >= SIGN);
    }
    return select(NOT_NEGATIVE_ZERO, 0u, upper == SIGN && lower == 0u);
}

// What carries of bin 523 lie in, six digits after its own, which is 174, ends in digit 179, and is carried
// to 180.
const DIGITS: u32 = 181u;
// Columns of one window to those of the next.
const STRIDE: u32 = 192u;
