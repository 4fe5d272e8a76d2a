// sum_exact of f32: the real sum, rounded once to the nearest f32, ties to even (parts/digits.wgsl).
//
// An f32 comes as its word, which is no number on its way: devices may take subnormal numbers for zero.

// The bits of an f32.
alias Output = u32;

fn output_of(
    seen: u32,
    is_negative: bool,
    digits: ptr<function, array<u32, ACC_WORDS>>,
) -> Output {
    if ((seen & NO_NUMBER) != 0u) {
        return upper_of_no_number(seen);
    }
    let magnitude = round_digits(digits);
    return magnitude | sign_of(seen, is_negative, magnitude == 0u);
}

// The bits of digits that have been carried out, of which the last is not negative.
fn round_digits(carried: ptr<function, array<u32, ACC_WORDS>>) -> u32 {
    // The highest that is not 0, the next, and whether there is anything below these.
    var first = 0u;
    var second = 0u;
    var place = 0u;
    var rest = false;
    for (var k = 0u; k <= TOP_DIGIT; k++) {
        let digit = (*carried)[k];
        if (digit != 0u) {
            rest = rest || second != 0u || (first != 0u && k != place + 1u);
            second = select(0u, first, k == place + 1u);
            first = digit;
            place = k;
        }
    }
    let bits = 32u - countLeadingZeros(first);
    if (bits > DIGIT_BITS) {
        // Beyond 2^288 in units of 2^-149.
        return EXPONENT;
    }
    if (place == 0u) {
        // The significand of a number that is subnormal or next to it is all of it.
        return first;
    }
    let significand = (first << (DIGIT_BITS - bits)) | (second >> bits);
    let left = second & ((1u << bits) - 1u);
    let half = 1u << (bits - 1u);
    let is_up = left > half || (left == half && (rest || (significand & 1u) != 0u));
    // The exponent less 1, because the leading bit of the significand adds 1 to it.
    let exponent = min(DIGIT_BITS * place + bits - 24u, 254u);
    return min((exponent << 23u) + significand + u32(is_up), EXPONENT);
}
