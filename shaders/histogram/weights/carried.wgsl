// The digits of a sum (digits.wgsl) as one integer.

// Words of a sum whose carries have been carried out, the last with its sign.
const WORDS: u32 = DIGITS + 1u;

// Takes the digits of the sum from word `sum` on out of the totals, each carried to the next.
fn carried_out(sum: u32) -> array<u32, WORDS> {
    var words: array<u32, WORDS>;
    var carry = 0;
    for (var k = 0u; k < DIGITS; k++) {
        let low = totals[sum + 2u * k];
        let word = low + u32(carry);
        // A negative carry is 2^32 too much, as a word.
        carry = i32(totals[sum + 2u * k + 1u]) + select(0, 1, word < low) - select(0, 1, carry < 0);
        words[k] = word;
    }
    words[DIGITS] = u32(carry);
    return words;
}
