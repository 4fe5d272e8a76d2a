// Numbers that are computed with, here f64 of a device that has none, by integers. A number has
//
//     digits      64, in two words, the lower first; the highest digit is 1
//     exponent    as f64 has it in its field, but of any size
//     sign        as f64 has it
//
// Sums and products keep all digits of f64 and eleven more. The lowest also tells whether digits are gone ("jamming": Hauser, "Berkeley
// SoftFloat", release 3, 2018). So a result is rounded once, to the two words that are kept. Functions here have no branches, which && and
// || make, since compilers copy them often.

alias Real = vec4<u32>;
alias Kept = vec2<u32>;

const SIGN: u32 = 0x80000000u;

// Exponents of zero, infinity and NaN. Infinity and NaN have all from BEYOND on, NaN those from NO_NUMBER on.
const NOTHING: i32 = -0x40000;
const BEYOND: i32 = 0x80000;
const INFINITE: i32 = 0x100000;
const NO_NUMBER: i32 = 0x180000;
const NAN: i32 = 0x200000;

fn real_with(digits: vec2<u32>, exponent: i32, sign: u32) -> Real {
    return vec4<u32>(digits, bitcast<u32>(exponent), sign);
}

fn exponent_in(value: Real) -> i32 {
    return bitcast<i32>(value.z);
}

// Shifts left by fewer than 64 places; zero may be shifted by 64. WGSL shifts a word by at most 31.
fn shifted_left(digits: vec2<u32>, places: u32) -> vec2<u32> {
    let near = places & 31u;
    let low = digits.x << near;
    let high = (digits.y << near) | ((digits.x >> 1u) >> (31u - near));
    return select(vec2<u32>(low, high), vec2<u32>(0u, low), places >= 32u);
}

// Shifts right by any number of places. The lowest bit also tells whether a bit that is gone was set.
fn shifted_right(digits: vec2<u32>, places: u32) -> vec2<u32> {
    let few = min(places, 64u);
    let near = few & 31u;
    let high = select(digits.y >> near, 0u, few == 64u);
    let low = (digits.x >> near) | ((digits.y << 1u) << (31u - near));
    let shifted = select(vec2<u32>(low, high), vec2<u32>(high, 0u), few >= 32u);
    let zeros =
        select(countTrailingZeros(digits.x), 32u + countTrailingZeros(digits.y), digits.x == 0u);
    return vec2<u32>(shifted.x | u32(zeros < few), shifted.y);
}

fn is_below(a: vec2<u32>, b: vec2<u32>) -> bool {
    return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}

// The number with these digits, of which the highest may be 0.
fn normalized_real(digits: vec2<u32>, exponent: i32, sign: u32) -> Real {
    let zeros = select(
        countLeadingZeros(digits.y), 32u + countLeadingZeros(digits.x), digits.y == 0u,
    );
    let normal = select(exponent - i32(zeros), NOTHING, zeros == 64u);
    return real_with(shifted_left(digits, zeros), normal, sign);
}

fn kept_of(bits: vec2<u32>) -> Kept {
    return bits;
}

fn words_of_kept(value: Kept) -> vec2<u32> {
    return value;
}

fn opened(bits: Kept) -> Real {
    let field = i32((bits.y >> 20u) & 0x7ffu);
    let fraction = bits.y & 0x000fffffu;
    let high = (fraction << 11u) | (bits.x >> 21u) | select(0u, SIGN, field > 0);
    let number = normalized_real(vec2<u32>(bits.x << 11u, high), max(field, 1), bits.y & SIGN);
    let beyond = select(INFINITE, NAN, (fraction | bits.x) != 0u);
    return real_with(number.xy, select(exponent_in(number), beyond, field == 2047), number.w);
}

// Rounds to nearest, ties to even.
fn closed(value: Real) -> Kept {
    let field = exponent_in(value);
    // Three bits stay below the significand. Subnormal numbers have fewer digits.
    let placed = shifted_right(value.xy, u32(8 + clamp(1 - field, 0, 64)));
    let significand = vec2<u32>((placed.x >> 3u) | (placed.y << 29u), placed.y >> 3u);
    let is_up = (placed.x & 7u) + (significand.x & 1u) > 4u;
    // The significand's highest bit counts in the exponent's field, and so does what is carried, up to infinity.
    let above = u32(clamp(field, 1, 2047) - 1) << 20u;
    let number = add64(vec2<u32>(significand.x, significand.y + above), vec2<u32>(u32(is_up), 0u));
    let magnitude = select(number, vec2<u32>(0u, 0x7ff00000u), field >= 2047);
    let nan = vec2<u32>(0u, 0x7ff80000u);
    return select(vec2<u32>(magnitude.x, magnitude.y | value.w), nan, field >= NO_NUMBER);
}

// A number that is 0 or normal as f32.
fn real(value: f32) -> Real {
    let bits = bitcast<u32>(value);
    let exponent = select(i32((bits >> 23u) & 0xffu) + 1023 - 127, NOTHING, (bits & ~SIGN) == 0u);
    let high = select((bits << 8u) | SIGN, 0u, exponent == NOTHING);
    return real_with(vec2<u32>(0u, high), exponent, bits & SIGN);
}

fn real_of_word(value: u32) -> Real {
    return real_of_words(vec2<u32>(value, 0u));
}

fn real_of_words(value: vec2<u32>) -> Real {
    return normalized_real(value, 1023 + 63, 0u);
}

fn plus(a: Real, b: Real) -> Real {
    let swaps = exponent_in(a) < exponent_in(b);
    let large = select(a, b, swaps);
    let small = select(b, a, swaps);
    let differ = large.w != small.w;
    let exponent = exponent_in(large);
    // A place is left for what is carried, or for the sign of a difference.
    let more = shifted_right(large.xy, 1u);
    let less = shifted_right(small.xy, u32(1 + exponent - exponent_in(small)));
    let sum = add64(more, select(less, negative(less), differ));
    let is_negative = differ & (sum.y >= SIGN);
    let digits = select(sum, negative(sum), is_negative);
    // Numbers of two signs leave no sign where they leave nothing.
    let is_zero = differ & ((sum.x | sum.y) == 0u);
    let sign = select(large.w ^ select(0u, SIGN, is_negative), 0u, is_zero);
    let number = normalized_real(digits, exponent + 1, sign);
    let is_no_number = differ & (exponent_in(small) >= BEYOND);
    let beyond = real_with(large.xy, select(exponent, NAN, is_no_number), large.w);
    return select(number, beyond, exponent >= BEYOND);
}

fn negative(digits: vec2<u32>) -> vec2<u32> {
    return add64(~digits, vec2<u32>(1u, 0u));
}

fn minus(a: Real, b: Real) -> Real {
    return plus(a, vec4<u32>(b.xyz, b.w ^ SIGN));
}

// Multiplies two numbers of 64 bits to one of 128.
fn multiply64_whole(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
    let low = multiply32(a.x, b.x);
    let cross = add64(multiply32(a.x, b.y), vec2<u32>(low.y, 0u));
    let other = multiply32(a.y, b.x);
    let middle = add64(cross, other);
    let carry = u32(is_below(middle, other));
    return vec4<u32>(low.x, middle.x, add64(multiply32(a.y, b.y), vec2<u32>(middle.y, carry)));
}

fn times(a: Real, b: Real) -> Real {
    let whole = multiply64_whole(a.xy, b.xy);
    let is_more = u32((whole.x | whole.y) != 0u);
    let exponents = exponent_in(a) + exponent_in(b);
    let digits = vec2<u32>(whole.z | is_more, whole.w);
    let number = normalized_real(digits, exponents - 1022, a.w ^ b.w);
    let largest = max(exponent_in(a), exponent_in(b));
    // Infinity times nothing is no number.
    let is_no_number = (largest >= NO_NUMBER) | (number.y == 0u);
    let beyond = real_with(vec2<u32>(0u, SIGN), select(INFINITE, NAN, is_no_number), number.w);
    return select(number, beyond, largest >= BEYOND);
}

// By a number that is neither 0 nor infinite nor NaN: Newton's iteration for 1 / b doubles the digits of a quotient of f32 twice. The last of 53
// digits may be off by one.
fn over(a: Real, b: Real) -> Real {
    // Of numbers with a point behind the first digit, in units of 2^-63.
    let near = u32(2147483648.0 / (f32(max(b.y, SIGN)) * 0x1p-31f));
    let inverse = refined(refined(vec2<u32>(0u, near), b.xy), b.xy);
    let exponent = exponent_in(a) - exponent_in(b) + 1024;
    return normalized_real(multiply64_whole(a.xy, inverse).zw, exponent, a.w ^ b.w);
}

// x (2 - b x), for x near 1 / b.
fn refined(inverse: vec2<u32>, divisor: vec2<u32>) -> vec2<u32> {
    let rest = add64(vec2<u32>(0u, SIGN), negative(multiply64_whole(inverse, divisor).zw));
    return shifted_left(multiply64_whole(inverse, rest).zw, 2u);
}
