// Products of pairs as the terms of an exact sum.
//
// The product of two significands has 48 bits and a sign; it is upper * 2^24 + lower, and each of both is a
// term of a window of its own. With each significand in halves of 12 bits, a = a1 * 2^12 + a0, signed as
// the product is, and b likewise:
//
//   upper <- a1 * b1 + ((a1 * b0 + a0 * b1) >> 12)     rounded down
//   lower <- a * b - (upper << 24)                     modulo 2^32
//
// What rounding down leaves, and a0 * b0, are below 2^24 each, so lower is 0 to 2^25 - 1, and exact.
//
// The place of a product is the sum of both exponents less 2, 0 to 506: in units of 2^-298. The base of the
// upper window is 24 above that of the lower one, which is 0 to 482.

// The sums of a part of a tile.
struct TileSums {
    lower_low: u32,
    lower_high: i32,
    upper_low: u32,
    upper_high: i32,
    // How far above the base a place was, at most; below it counts as very far above.
    farthest: u32,
    // The largest exponent less 1, in its place; that of zeros and subnormal numbers is larger than all.
    widest: u32,
}

fn empty_tile() -> TileSums {
    return TileSums(0u, 0, 0u, 0, 0u, 0u);
}

fn terms_at(quad: u32) -> Terms {
    let first = 4u * quad + parameters.delta;
    if (PARTNERS_ARE_QUADS) {
        return Terms(quads[quad], partner_quads[first / 4u]);
    }
    let partners = vec4<u32>(
        partner_words[first],
        partner_words[first + 1u],
        partner_words[first + 2u],
        partner_words[first + 3u],
    );
    return Terms(quads[quad], partners);
}

fn largest_of(values: vec4<u32>) -> u32 {
    return max(max(values.x, values.y), max(values.z, values.w));
}

// Adds the products of a quad. Of a pair that does not fit, what is shifted and how far is of no use; it is
// only noted.
fn add_terms(tile: ptr<function, TileSums>, terms: Terms, base: u32) {
    let quad = terms.quad;
    let partners = terms.partners;
    let exponents = (quad & vec4(EXPONENT)) - vec4(LEADING);
    let partner_exponents = (partners & vec4(EXPONENT)) - vec4(LEADING);
    let above = exponents + partner_exponents - vec4(base);
    let up = above >> vec4(23u);
    let down = vec4(24u) - up;

    let sign = bitcast<vec4<i32>>(quad ^ partners) >> vec4(31u);
    let a = (bitcast<vec4<i32>>((quad & vec4(FRACTION)) | vec4(LEADING)) ^ sign) - sign;
    let b = bitcast<vec4<i32>>((partners & vec4(FRACTION)) | vec4(LEADING));
    let a0 = a & vec4(0xfff);
    let a1 = a >> vec4(12u);
    let b0 = b & vec4(0xfff);
    let b1 = b >> vec4(12u);
    let upper = a1 * b1 + ((a1 * b0 + a0 * b1) >> vec4(12u));
    let product = bitcast<vec4<u32>>(a) * bitcast<vec4<u32>>(b);
    let lower = product - (bitcast<vec4<u32>>(upper) << vec4(24u));

    let lower_low = lower << up;
    let lower_high = bitcast<vec4<i32>>(lower >> down);
    let upper_low = bitcast<vec4<u32>>(upper) << up;
    let upper_high = upper >> down;
    (*tile).lower_low += (lower_low.x + lower_low.y) + (lower_low.z + lower_low.w);
    (*tile).lower_high += (lower_high.x + lower_high.y) + (lower_high.z + lower_high.w);
    (*tile).upper_low += (upper_low.x + upper_low.y) + (upper_low.z + upper_low.w);
    (*tile).upper_high += (upper_high.x + upper_high.y) + (upper_high.z + upper_high.w);
    (*tile).farthest = max((*tile).farthest, largest_of(above));
    (*tile).widest = max((*tile).widest, largest_of(max(exponents, partner_exponents)));
}

fn with_tile(windows: Windows, tile: TileSums) -> Windows {
    return Windows(
        add_halves(windows.lower, tile.lower_low, tile.lower_high),
        add_halves(windows.upper, tile.upper_low, tile.upper_high),
    );
}

// The largest place of the products of a quad.
fn largest(terms: Terms) -> u32 {
    let places = (terms.quad & vec4(EXPONENT)) + (terms.partners & vec4(EXPONENT));
    return max(largest_of(places) >> 23u, 2u) - 2u;
}

// Empty windows for products with places up to `top`.
fn windows_below(top: u32) -> Windows {
    let base = (clamp(top + MARGIN, 24u, LARGEST_PLACE) << 23u) - SPAN;
    return Windows(Window(base, 0u, 0), Window(base + SPAN, 0u, 0));
}

fn put_at(at: u32) -> u32 {
    return put(words[at], partner_words[at + parameters.delta]);
}

fn put_terms(terms: Terms) -> u32 {
    let quad = terms.quad;
    let partners = terms.partners;
    return put(quad.x, partners.x) | put(quad.y, partners.y)
        | put(quad.z, partners.z) | put(quad.w, partners.w);
}

const LARGEST_PLACE: u32 = 506u;

// Bin b is for what has its lowest bit at place b: of either sign, and of a product 24 bits at a time.
const BINS: u32 = LARGEST_PLACE + 24u + 1u;

// Adds the product of two elements. What it is besides a number is returned.
fn put(element: u32, partner: u32) -> u32 {
    let a = element & ~SIGN;
    let b = partner & ~SIGN;
    let is_negative = ((element ^ partner) & SIGN) != 0u;
    if (max(a, b) > EXPONENT) {
        return NOT_A_NUMBER;
    }
    if (max(a, b) == EXPONENT) {
        let infinity = select(POSITIVE_INFINITY, NEGATIVE_INFINITY, is_negative);
        return select(infinity, NOT_A_NUMBER, min(a, b) == 0u);
    }
    if (min(a, b) == 0u) {
        return select(NOT_NEGATIVE_ZERO, 0u, is_negative);
    }
    put_product(a, b, is_negative);
    return NOT_NEGATIVE_ZERO;
}

// Adds the product of two magnitudes, which are finite and not zero.
fn put_product(a: u32, b: u32, is_negative: bool) {
    // Subnormal numbers have the exponent of the least normal ones, and no leading bit.
    let place = max(a >> 23u, 1u) + max(b >> 23u, 1u) - 2u;
    let left = (a & FRACTION) | select(0u, LEADING, a >= LEADING);
    let right = (b & FRACTION) | select(0u, LEADING, b >= LEADING);
    let left_low = left & 0xfffu;
    let right_low = right & 0xfffu;
    let left_high = left >> 12u;
    let right_high = right >> 12u;
    let upper = left_high * right_high + ((left_high * right_low + left_low * right_high) >> 12u);
    let rest = left * right - (upper << 24u);
    add_to_bin(place, rest & 0xffffffu, is_negative);
    add_to_bin(place + 24u, upper + (rest >> 24u), is_negative);
}

// Adds or takes away. To take away is to add what is missing to 2^32, and carry one less.
fn add_to_bin(bin: u32, value: u32, is_negative: bool) {
    if (!is_negative) {
        put_in_bin(bin, value);
    } else if (value != 0u) {
        put_in_bin(bin, 0u - value);
        atomicSub(&carries[bin], 1);
    }
}

// What carries of bin 530 lie in, six digits after its own, which is 44, ends in digit 49, and is carried
// to 50.
const DIGITS: u32 = 51u;
// Columns of one window to those of the next.
const STRIDE: u32 = 64u;

// Bins to digits, each by one invocation.
fn digest_bins(local: u32) {
    for (var bin = local; bin < BINS; bin += WORKGROUP_SIZE) {
        let value = atomicLoad(&bins[bin]);
        let carried = atomicLoad(&carries[bin]);
        if ((value | u32(carried)) != 0u) {
            put_digits(value, carried, bin);
        }
    }
}
