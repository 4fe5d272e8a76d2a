// Weights that are f32: a sum is a fixed-point number with nine digits of 32 bits, each a sum of its own that has 64
// bits and a sign, so that nothing is carried from one to the next. The lowest bit of the first digit is the least
// subnormal number. Behind them are a count of 64 bits, and what kinds of numbers have been seen.
//
//   value = mantissa * 2^place units, with a mantissa of 24 bits: it lies in digit place / 32 and the next one
//
// Bounds: what is added to a digit is below 2^32, so the upper word of 2^31 weights changes by less than 2^31.

const SUM_WORDS: u32 = 22u;

// Words of a sum before those that are sets of bits.
const NUMBER_WORDS: u32 = 20u;

const COUNT: u32 = 18u;
const KINDS: u32 = 20u;

const NOT_NEGATIVE_ZERO: u32 = 1u;
const POSITIVE_INFINITY: u32 = 2u;
const NEGATIVE_INFINITY: u32 = 4u;
const NOT_A_NUMBER: u32 = 8u;

fn add_weight(sum: u32, weight: u32) {
    let exponent = (weight >> 23u) & 0xffu;
    let fraction = weight & 0x7fffffu;
    let is_negative = weight >= 0x80000000u;
    let is_finite = exponent < 255u;
    let infinity = select(POSITIVE_INFINITY, NEGATIVE_INFINITY, is_negative);
    let beyond = select(infinity, NOT_A_NUMBER, fraction > 0u);
    let of_finite = select(NOT_NEGATIVE_ZERO, 0u, weight == 0x80000000u);
    add_to_sum(sum + COUNT, 1u);
    note_in_sum(sum + KINDS, select(beyond, of_finite, is_finite));

    let mantissa = select(0u, fraction | select(0u, 0x800000u, exponent > 0u), is_finite);
    let place = max(exponent, 1u) - 1u;
    let up = place & 31u;
    let digit = sum + 2u * (min(place, 255u) >> 5u);
    let low = mantissa << up;
    let high = (mantissa >> 1u) >> (31u - up);
    if (is_negative) {
        take_from_sum(digit, low);
        take_from_sum(digit + 2u, high);
    } else {
        add_to_sum(digit, low);
        add_to_sum(digit + 2u, high);
    }
}
