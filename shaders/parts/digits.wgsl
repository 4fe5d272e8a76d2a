// An exact sum, by the digits of its accumulator. Operations say what an output is, and round.

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
    let seen = total.window.base & SEEN;
    let infinities = seen & (POSITIVE_INFINITY | NEGATIVE_INFINITY);
    if ((seen & NOT_A_NUMBER) != 0u || infinities == (POSITIVE_INFINITY | NEGATIVE_INFINITY)) {
        return from_upper(UPPER_NAN);
    }
    if (infinities != 0u) {
        return from_upper(select(EXPONENT, EXPONENT | SIGN, infinities == NEGATIVE_INFINITY));
    }
    var words = acc_to_words(with_base(total, NO_WINDOW));
    // The digits of a negative number are turned round and carried out once more.
    var sign = 1;
    while (carry_out(&words, sign) < 0) {
        sign = -1;
    }
    let magnitude = round_digits(&words);
    // A sum of -0 alone is -0, and of nothing it is +0.
    if (select(sign < 0, seen == NEGATIVE_ZERO, is_none(magnitude))) {
        return negated(magnitude);
    }
    return magnitude;
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
