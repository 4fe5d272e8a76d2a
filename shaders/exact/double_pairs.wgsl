// Products of pairs of f64 as the terms of an exact sum.
//
// The product of two significands has 106 bits and a sign; it is upper * 2^56 + lower, and each of both is a term of a
// window of its own, parts/wide_window.wgsl. Significands are taken in limbs of 14 bits: products of limbs have 28, and four
// of them with what is carried fit a word.
//
// The place of a product is the sum of both exponents less 2, 0 to 4090: in units of 2^-2148.

// How far the base of the upper window is above that of the lower one.
const UPPER: u32 = 56u;

// A window has its place in its base.
const FIRST_EXPONENT: u32 = 0u;

// No window reaches above: its upper one would have no base.
const HIGHEST: u32 = 4095u - UPPER + 22u;

// What is added to one window.
struct Parts {
    low: u32,
    middle: u32,
    high: i32,
}

// The sums of a part of a tile.
struct TileSums {
    lower: Parts,
    upper: Parts,
    negatives: u32,
    // How far above the base a place was, at most; below it counts as very far above.
    farthest: u32,
    // The largest exponent less 1, in its place; that of zeros and subnormal numbers is larger than all.
    widest: u32,
}

fn empty_tile() -> TileSums {
    return TileSums();
}

fn terms_at(quad: u32) -> Terms {
    let first = 2u * quad + parameters.delta;
    if (PARTNERS_ARE_QUADS) {
        return Terms(quads[quad], partner_quads[first / 2u]);
    }
    let word = 2u * first;
    let partners = vec4<u32>(
        partner_words[word],
        partner_words[word + 1u],
        partner_words[word + 2u],
        partner_words[word + 3u],
    );
    return Terms(quads[quad], partners);
}

// Two numbers of 53 bits, in words.
struct Wide {
    low: vec2<u32>,
    high: vec2<u32>,
}

// Products of two of them: 56 bits, and what is above.
struct Products {
    lower: Wide,
    upper: Wide,
}

fn products_of(a: Wide, b: Wide) -> Products {
    let limb = vec2<u32>(14u);
    let mask = vec2<u32>(0x3fffu);
    let a0 = a.low & mask;
    let a1 = (a.low >> limb) & mask;
    let a2 = ((a.low >> vec2(28u)) | (a.high << vec2(4u))) & mask;
    let a3 = a.high >> vec2(10u);
    let b0 = b.low & mask;
    let b1 = (b.low >> limb) & mask;
    let b2 = ((b.low >> vec2(28u)) | (b.high << vec2(4u))) & mask;
    let b3 = b.high >> vec2(10u);
    let c0 = a0 * b0;
    let c1 = a0 * b1 + a1 * b0 + (c0 >> limb);
    let c2 = a0 * b2 + a1 * b1 + a2 * b0 + (c1 >> limb);
    let c3 = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + (c2 >> limb);
    let c4 = a1 * b3 + a2 * b2 + a3 * b1 + (c3 >> limb);
    let c5 = a2 * b3 + a3 * b2 + (c4 >> limb);
    let c6 = a3 * b3 + (c5 >> limb);
    let lower = Wide(
        (c0 & mask) | ((c1 & mask) << limb) | (c2 << vec2(28u)),
        ((c2 & mask) >> vec2(4u)) | ((c3 & mask) << vec2(10u)),
    );
    let upper = Wide((c4 & mask) | ((c5 & mask) << limb) | (c6 << vec2(28u)), c6 >> vec2(4u));
    return Products(lower, upper);
}

// Adds two terms of either sign.
fn with_terms(parts: Parts, terms: Wide, up: vec2<u32>, sign: vec2<u32>) -> Parts {
    let low = (terms.low << up) ^ sign;
    let middle = ((terms.low >> (vec2(27u) - up)) | (terms.high << (vec2(5u) + up))) ^ sign;
    let high = (terms.high >> (vec2(22u) - up)) ^ sign;
    return Parts(
        parts.low + low.x + low.y,
        parts.middle + middle.x + middle.y,
        parts.high + i32(high.x) + i32(high.y),
    );
}

// Adds the products of two pairs. Of one that does not fit, what is shifted and how far is of no use; it is only
// noted.
fn add_terms(tile: ptr<function, TileSums>, terms: Terms, base: u32) {
    let upper = terms.quad.yw;
    let partner_upper = terms.partners.yw;
    let exponents = (upper & vec2(EXPONENT)) - vec2(LEADING);
    let partner_exponents = (partner_upper & vec2(EXPONENT)) - vec2(LEADING);
    let above = exponents + partner_exponents - vec2(base);
    let up = above >> vec2(EXPONENT_SHIFT);
    let sign = bitcast<vec2<u32>>(bitcast<vec2<i32>>(upper ^ partner_upper) >> vec2(31u));
    let products = products_of(
        Wide(terms.quad.xz, (upper & vec2(FRACTION)) | vec2(LEADING)),
        Wide(terms.partners.xz, (partner_upper & vec2(FRACTION)) | vec2(LEADING)),
    );
    (*tile).lower = with_terms((*tile).lower, products.lower, up, sign);
    (*tile).upper = with_terms((*tile).upper, products.upper, up, sign);
    // A sign is -1 or 0.
    (*tile).negatives -= sign.x + sign.y;
    (*tile).farthest = max((*tile).farthest, max(above.x, above.y));
    let widest = max(exponents, partner_exponents);
    (*tile).widest = max((*tile).widest, max(widest.x, widest.y));
}

fn with_tile(windows: Windows, tile: TileSums) -> Windows {
    let lower = tile.lower;
    let upper = tile.upper;
    return Windows(
        add_parts(windows.lower, lower.low, lower.middle, lower.high, tile.negatives),
        add_parts(windows.upper, upper.low, upper.middle, upper.high, tile.negatives),
    );
}

// The largest place of two products.
fn largest(terms: Terms) -> u32 {
    let exponents = (terms.quad.yw & vec2(EXPONENT)) >> vec2(EXPONENT_SHIFT);
    let partner_exponents = (terms.partners.yw & vec2(EXPONENT)) >> vec2(EXPONENT_SHIFT);
    let places = exponents + partner_exponents;
    return max(max(places.x, places.y), 2u) - 2u;
}

// Empty windows for products with places up to `top`.
fn windows_below(top: u32) -> Windows {
    let base = (clamp(top + MARGIN, 22u, HIGHEST) << EXPONENT_SHIFT) - SPAN;
    return Windows(Window(base, 0u, 0u, 0), Window(base + (UPPER << EXPONENT_SHIFT), 0u, 0u, 0));
}

fn put_at(at: u32) -> u32 {
    let word = 2u * at;
    let partner = 2u * (at + parameters.delta);
    return put(
        vec2(words[word], words[word + 1u]),
        vec2(partner_words[partner], partner_words[partner + 1u]),
    );
}

fn put_terms(terms: Terms) -> u32 {
    return put(terms.quad.xy, terms.partners.xy) | put(terms.quad.zw, terms.partners.zw);
}

// Bin b has its lowest bit at place 4 * b. Each half of a product, of either sign, is added to two bins: its lower 28
// bits, and what is above. The highest bin is for the last part of the highest product.
const BINS: u32 = 1044u;

// Adds the product of two elements, lower words first. What it is besides a number is returned.
fn put(element: vec2<u32>, partner: vec2<u32>) -> u32 {
    let a = element.y & ~SIGN;
    let b = partner.y & ~SIGN;
    let is_negative = ((element.y ^ partner.y) & SIGN) != 0u;
    let is_nan = (a == EXPONENT && element.x != 0u) || (b == EXPONENT && partner.x != 0u);
    if (max(a, b) > EXPONENT || is_nan) {
        return NOT_A_NUMBER;
    }
    let has_zero = (a | element.x) == 0u || (b | partner.x) == 0u;
    if (max(a, b) == EXPONENT) {
        let infinity = select(POSITIVE_INFINITY, NEGATIVE_INFINITY, is_negative);
        return select(infinity, NOT_A_NUMBER, has_zero);
    }
    if (has_zero) {
        return select(NOT_NEGATIVE_ZERO, 0u, is_negative);
    }
    // Subnormal numbers have the exponent of the least normal ones, and no leading bit.
    let place = max(a >> EXPONENT_SHIFT, 1u) + max(b >> EXPONENT_SHIFT, 1u) - 2u;
    let left = (a & FRACTION) | select(0u, LEADING, a >= LEADING);
    let right = (b & FRACTION) | select(0u, LEADING, b >= LEADING);
    let product = products_of(
        Wide(vec2(element.x, 0u), vec2(left, 0u)),
        Wide(vec2(partner.x, 0u), vec2(right, 0u)),
    );
    put_words(place, product.lower.low.x, product.lower.high.x, is_negative);
    put_words(place + UPPER, product.upper.low.x, product.upper.high.x, is_negative);
    return NOT_NEGATIVE_ZERO;
}

// What carries of bin 1043 lie in, six digits after its own, which is 347, ends in digit 352, and is carried
// to 353.
const DIGITS: u32 = 354u;
// Columns of one window to those of the next.
const STRIDE: u32 = 384u;
