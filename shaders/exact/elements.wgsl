// Elements as the terms of an exact sum.

// The base of a window is 1 to 230. So neither zeros and subnormal numbers, whose exponent is 0, ever fit,
// nor infinities and NaNs, whose exponent is 255.

alias Terms = vec4<u32>;

fn terms_at(quad: u32) -> Terms {
    return quads[quad];
}

// The sum of a part of a tile.
struct TileSums {
    low: u32,
    high: i32,
    // How far above the base an exponent was, at most; below it counts as very far above.
    farthest: u32,
}

fn empty_tile() -> TileSums {
    return TileSums(0u, 0, 0u);
}

// Adds a quad. Of an element that does not fit, what is shifted and how far is of no use; it is only
// noted.
fn add_terms(tile: ptr<function, TileSums>, quad: Terms, base: u32) {
    let above = (quad & vec4(EXPONENT)) - vec4(base);
    let up = above >> vec4(23u);
    let sign = bitcast<vec4<i32>>(quad) >> vec4(31u);
    let significand = (bitcast<vec4<i32>>((quad & vec4(FRACTION)) | vec4(LEADING)) ^ sign) - sign;
    let low = bitcast<vec4<u32>>(significand) << up;
    let high = significand >> (vec4(24u) - up);
    (*tile).low += (low.x + low.y) + (low.z + low.w);
    (*tile).high += (high.x + high.y) + (high.z + high.w);
    let farthest = max(max(above.x, above.y), max(above.z, above.w));
    (*tile).farthest = max((*tile).farthest, farthest);
}

fn fits(tile: TileSums) -> bool {
    return tile.farthest <= SPAN;
}

// What fits is not zero.
fn flags_of(tile: TileSums) -> u32 {
    return NOT_NEGATIVE_ZERO;
}

fn with_tile(windows: Windows, tile: TileSums) -> Windows {
    return add_halves(windows, tile.low, tile.high);
}

// The largest exponent of a quad, in its place.
fn largest(quad: Terms) -> u32 {
    let exponents = quad & vec4(EXPONENT);
    return max(max(exponents.x, exponents.y), max(exponents.z, exponents.w));
}

// An empty window for elements with exponents up to `top`.
fn windows_below(top: u32) -> Windows {
    return Window(clamp(top + (MARGIN << 23u), 25u << 23u, 254u << 23u) - SPAN, 0u, 0);
}

fn windows_moved(windows: Windows, top: u32) -> Windows {
    return windows_below(top);
}

fn put_at(at: u32) -> u32 {
    return put(words[at]);
}

fn put_terms(quad: Terms) -> u32 {
    return put(quad.x) | put(quad.y) | put(quad.z) | put(quad.w);
}

// Bin b is for elements whose upper nine bits are b: one for every sign and exponent, so that to add an
// element takes one addition to workgroup memory, and no place of a number has to be found. Windows are added
// to the bins of the positive sign.
const BINS: u32 = 512u;

// Adds an element. What it is besides a number is returned; where only the bins can tell, they do.
fn put(element: u32) -> u32 {
    // The exponent of normal numbers is 1 to 254.
    if ((element & ~SIGN) - LEADING < EXPONENT - LEADING) {
        put_in_bin(element >> 23u, (element & FRACTION) | LEADING);
        return 0u;
    }
    return put_unusual(element);
}

fn put_unusual(element: u32) -> u32 {
    let magnitude = element & ~SIGN;
    if (magnitude > EXPONENT) {
        return NOT_A_NUMBER;
    }
    if (magnitude == EXPONENT) {
        return select(POSITIVE_INFINITY, NEGATIVE_INFINITY, element > SIGN);
    }
    if (magnitude != 0u) {
        // Subnormal: the exponent is that of bin 1, and there is no leading bit.
        put_in_bin(element >> 23u, element & FRACTION);
    }
    return select(NOT_NEGATIVE_ZERO, 0u, element == SIGN);
}

// The largest element has its highest bit in digit 23; what carries of the bins lie in, six digits after
// that of bin 254, ends in digit 26, and is carried to 27.
const DIGITS: u32 = 28u;
// Columns of one window to those of the next.
const STRIDE: u32 = 32u;

// Bins to digits, each exponent by one invocation.
fn digest_bins(local: u32) {
    for (var exponent = local; exponent < 255u; exponent += WORKGROUP_SIZE) {
        let positive = atomicLoad(&bins[exponent]);
        let negative = atomicLoad(&bins[exponent + 256u]);
        let carried = atomicLoad(&carries[exponent]);
        let borrowed = atomicLoad(&carries[exponent + 256u]);
        if ((positive | negative | u32(carried) | u32(borrowed)) != 0u) {
            let high = carried - borrowed - select(0, 1, positive < negative);
            // Subnormal numbers have the exponent of the least normal ones.
            put_digits(positive - negative, high, max(exponent, 1u) - 1u);
            atomicOr(&seen, NOT_NEGATIVE_ZERO);
        }
    }
}
