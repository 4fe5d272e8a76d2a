// The accumulator of an exact sum is made of a window, and of digits where there are any.

// Adds the window from word `first` of the totals on. Beyond its last word is its sign.
fn add_window(number: ptr<function, array<u32, WORDS>>, first: u32) {
    let sign = u32(i32(totals[first + WINDOW_WORDS - 1u]) >> 31u);
    let place = window_place[0];
    let up = place % 32u;
    var before = 0u;
    var carry = 0u;
    for (var k = place / 32u; k < WORDS; k++) {
        let of_window = k - place / 32u;
        let here = select(sign, totals[first + min(of_window, WINDOW_WORDS)], of_window < WINDOW_WORDS);
        let amount = (here << up) | ((before >> 1u) >> (31u - up));
        let low = (*number)[k] + amount;
        (*number)[k] = low + carry;
        carry = u32(low < amount) | u32(low + carry < carry);
        before = here;
    }
}

fn acc_at(group: u32) -> Acc {
    let first = total_of(group);
    let digits = digits_of(group);
    var seen = totals[first + SEEN_AT];
    var number: array<u32, WORDS>;
    if ((seen & HAS_DIGITS) != 0u) {
        number = carried_out(digits);
        seen = (seen & ~HAS_DIGITS) | totals[digits + KINDS];
        for (var k = 0u; k < TOTAL_WORDS; k++) {
            totals[digits + k] = 0u;
        }
    }
    add_window(&number, first);
    var of_acc = acc_to_words(acc_zero());
    for (var k = 0u; k < TOP_DIGIT; k++) {
        let word = DIGIT_BITS * k / 32u;
        let up = DIGIT_BITS * k % 32u;
        let upper = (number[min(word + 1u, DIGITS)] << 1u) << (31u - up);
        of_acc[k] = ((number[word] >> up) | upper) & u32(DIGIT);
    }
    // The last digit has what is left, and the sign.
    of_acc[TOP_DIGIT] = u32(i32(number[DIGITS]) >> (DIGIT_BITS * TOP_DIGIT % 32u));
    // Behind the digits is the window's base, with what has been seen.
    of_acc[TOP_DIGIT + 1u] |= seen;
    return acc_from_words(of_acc);
}
