// sum_exact: the real sum, rounded once to the nearest f32, ties to even.
//
// An f32 comes as its word, which is no number on its way: devices may take subnormal numbers for zero.

// The bits of an f32.
alias Output = u32;

fn identity() -> Acc {
    return acc_zero();
}

fn lift(value: Element) -> Acc {
    return with_element(acc_zero(), bitcast<u32>(value));
}

fn append(total: Acc, a: Element, b: Element, c: Element, d: Element) -> Acc {
    let quad = vec4<u32>(bitcast<u32>(a), bitcast<u32>(b), bitcast<u32>(c), bitcast<u32>(d));
    return with_quad(total, quad);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

const TOP_DIGIT: u32 = 12u;

fn finish(total: Acc) -> Output {
    let seen = total.window.base & SEEN;
    let infinities = seen & (POSITIVE_INFINITY | NEGATIVE_INFINITY);
    if ((seen & NOT_A_NUMBER) != 0u || infinities == (POSITIVE_INFINITY | NEGATIVE_INFINITY)) {
        return 0x7fc00000u;
    }
    if (infinities != 0u) {
        return select(EXPONENT, EXPONENT | SIGN, infinities == NEGATIVE_INFINITY);
    }
    var words = acc_to_words(with_base(total, NO_WINDOW));
    // The digits of a negative number are turned round and carried out once more.
    var sign = 1;
    while (carry_out(&words, sign) < 0) {
        sign = -1;
    }
    let is_negative = sign < 0;
    let magnitude = round_digits(&words);
    if (magnitude == 0u) {
        // A sum of -0 alone is -0, and of nothing it is +0.
        return select(0u, SIGN, seen == NEGATIVE_ZERO);
    }
    return magnitude | select(0u, SIGN, is_negative);
}

// Multiplies the digits by 1 or -1 and makes all but the last 0 to 2^24 - 1. The last is returned, too.
fn carry_out(words: ptr<function, array<u32, ACC_WORDS>>, sign: i32) -> i32 {
    var carry = 0;
    for (var k = 0u; k < TOP_DIGIT; k++) {
        let digit = sign * i32((*words)[k]) + carry;
        (*words)[k] = u32(digit & DIGIT);
        carry = digit >> 24u;
    }
    let last = sign * i32((*words)[TOP_DIGIT]) + carry;
    (*words)[TOP_DIGIT] = u32(last);
    return last;
}

// The bits of digits that have been carried out, of which the last is not negative.
fn round_digits(words: ptr<function, array<u32, ACC_WORDS>>) -> u32 {
    // The highest that is not 0, the next, and whether there is anything below these.
    var first = 0u;
    var second = 0u;
    var place = 0u;
    var rest = false;
    for (var k = 0u; k <= TOP_DIGIT; k++) {
        let digit = (*words)[k];
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
