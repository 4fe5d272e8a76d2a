// Elements of f64 (parts/terms_f64.wgsl) as the terms of an exact sum.

// Exponents, of which the least is 1, are one above places.
const FIRST_EXPONENT: u32 = 1u;

fn terms_at(quad: u32) -> Terms {
    return quads[quad];
}

fn with_tile(windows: Windows, tile: TileSums) -> Windows {
    return add_parts(windows, tile.low, tile.middle, tile.high, tile.negatives);
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
