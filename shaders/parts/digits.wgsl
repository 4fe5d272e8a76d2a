// An exact sum, by the digits of its accumulator. Operations make an output of digits that have been carried out, of which the last is not
// negative.

fn identity() -> Acc {
    return acc_zero();
}

fn lift(value: Element) -> Acc {
    return with_element(acc_zero(), value);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return acc_add(a, b);
}

fn finish(total: Acc) -> Output {
    var words = acc_to_words(with_base(total, NO_WINDOW));
    // The digits of a negative number are turned round and carried out once more.
    var sign = 1;
    while (carry_out(&words, sign) < 0) {
        sign = -1;
    }
    return output_of(total.window.base & SEEN, sign < 0, &words);
}

// Multiplies the digits by 1 or -1 and makes all but the last less than a digit may be. The last is returned, too.
fn carry_out(words: ptr<function, array<u32, ACC_WORDS>>, sign: i32) -> i32 {
    var carry = 0;
    for (var k = 0u; k < TOP_DIGIT; k++) {
        let digit = sign * i32((*words)[k]) + carry;
        (*words)[k] = u32(digit & DIGIT);
        carry = digit >> DIGIT_BITS;
    }
    let last = sign * i32((*words)[TOP_DIGIT]) + carry;
    (*words)[TOP_DIGIT] = u32(last);
    return last;
}

// What sums have that are no numbers.
const NO_NUMBER: u32 = POSITIVE_INFINITY | NEGATIVE_INFINITY | NOT_A_NUMBER;

// The upper word of such a sum.
fn upper_of_no_number(seen: u32) -> u32 {
    let infinities = seen & (POSITIVE_INFINITY | NEGATIVE_INFINITY);
    if ((seen & NOT_A_NUMBER) != 0u || infinities == (POSITIVE_INFINITY | NEGATIVE_INFINITY)) {
        return UPPER_NAN;
    }
    return select(EXPONENT, EXPONENT | SIGN, infinities == NEGATIVE_INFINITY);
}

// The sign bit of a sum: one of -0 alone is -0, and one of nothing is +0.
fn sign_of(seen: u32, is_negative: bool, is_none: bool) -> u32 {
    return select(0u, SIGN, select(is_negative, seen == NEGATIVE_ZERO, is_none));
}
