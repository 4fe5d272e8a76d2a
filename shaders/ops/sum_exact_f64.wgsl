// sum_exact of f64: the real sum, rounded once to the nearest f64, ties to even (parts/digits.wgsl).

// The two words of an f64, the lower first.
alias Output = vec2<u32>;

fn output_of(
    seen: u32,
    is_negative: bool,
    digits: ptr<function, array<u32, ACC_WORDS>>,
) -> Output {
    if ((seen & NO_NUMBER) != 0u) {
        return vec2<u32>(0u, upper_of_no_number(seen));
    }
    let magnitude = round_digits(digits);
    let is_none = (magnitude.x | magnitude.y) == 0u;
    return vec2<u32>(magnitude.x, magnitude.y | sign_of(seen, is_negative, is_none));
}

// The bits of digits that have been carried out, of which the last is not negative.
fn round_digits(carried: ptr<function, array<u32, ACC_WORDS>>) -> Output {
    // The highest that is not 0, the two below, and whether there is anything below these.
    var place = 0u;
    var first = 0u;
    var second = 0u;
    var third = 0u;
    var rest = false;
    for (var k = 0u; k <= TOP_DIGIT; k++) {
        let digit = (*carried)[k];
        if (digit != 0u) {
            let up = k - place;
            rest = rest || (up > 2u && first != 0u) || (up > 1u && second != 0u) || third != 0u;
            third = select(select(0u, first, up == 2u), second, up == 1u);
            second = select(0u, first, up == 1u);
            first = digit;
            place = k;
        }
    }
    let bits = 32u - countLeadingZeros(first);
    // The exponent of the highest bit, in units of 2^-1074.
    let highest = DIGIT_BITS * place + bits - 1u;
    if (bits > DIGIT_BITS || (first != 0u && highest > 2097u)) {
        return vec2<u32>(0u, EXPONENT);
    }
    if (first == 0u || highest < 53u) {
        // The significand of a number that is subnormal or next to it is all of it.
        let upper = select(0u, first, place == 1u);
        let lower = select(first, second, place == 1u);
        return vec2<u32>(lower | (upper << 27u), upper >> 5u);
    }
    // Three digits of which the lowest bits go.
    let low = third | (second << 27u);
    let middle = (second >> 5u) | (first << 22u);
    let high = first >> 10u;
    let down = bits + 1u;
    let significand = vec2<u32>(
        (low >> down) | (middle << (32u - down)),
        (middle >> down) | (high << (32u - down)),
    );
    let left = low & ((1u << down) - 1u);
    let half = 1u << (down - 1u);
    let is_up = left > half || (left == half && (rest || (significand.x & 1u) != 0u));
    let lower = significand.x + u32(is_up);
    let carry = u32(lower < significand.x);
    // The exponent less 1, because the leading bit of the significand adds 1 to it.
    let exponent = highest - 52u;
    return vec2<u32>(lower, (exponent << EXPONENT_SHIFT) + significand.y + carry);
}
