// Accumulators that are integers are added, with carries from word to word. Whatever carries are on their way, the sum of all words
// and of what is still to be added is right, modulo 2^32 to the number of words.

// The first word of a second integer, to which nothing is carried; 0 if there is one only.
override APART: u32 = 0u;

// Whether it has found 0 in a word is returned.
fn merge(at: Slot, kept: ptr<function, array<u32, MERGED_WORDS>>) -> bool {
    var carry = 0u;
    var is_first = false;
    for (var k = 0u; k < MERGED_WORDS; k++) {
        carry = select(carry, 0u, k == APART);
        let amount = (*kept)[k] + carry;
        // All bits and a carry are none, and another carry.
        carry = u32(amount < carry);
        if (amount != 0u) {
            let before = add_word(at, k, amount);
            carry |= u32(amount > ~before);
            is_first = is_first || before == 0u;
        }
    }
    return is_first;
}
