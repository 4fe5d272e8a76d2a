// Elements are numbers of exact sums. They are added in a window, an integer of a few words and a sign, by the law of integers. Others are
// added to digits.
//
//   number = significand * 2^place units; the window counts 2^window_place units
//
// The window lies so that numbers a little above and below the largest of a sample touch its upper words alone (sample.wgsl).

// Whether elements that are no number are left out.
override SKIPS_NAN: bool = false;

const MERGED_WORDS: u32 = WINDOW_WORDS;

// Adds to the sum of 64 bits whose lower word has this index.
fn add_to_total(index: u32, amount: u32) {
    let before = atomicAdd(&totals[index], amount);
    if (amount > ~before) {
        atomicAdd(&totals[index + 1u], 1u);
    }
}

fn take(group: u32, value: Element, _index: u32, local: u32) {
    if (SKIPS_NAN && is_no_number(value)) {
        return;
    }
    let at = slot_of(group, local);
    if (BESIDE == A_COUNT) {
        _ = add_word(at, KEPT_WORDS, 1u);
    }
    let up = place_of_number(value) - window_place[0];
    if (is_zero_number(value)) {
        see_bits(at, SEEN_AT, select(NOT_NEGATIVE_ZERO, NEGATIVE_ZERO, is_negative_number(value)));
    } else if (up > MOST_UP) {
        add_number(digits_of(group), value);
        see_bits(at, SEEN_AT, HAS_DIGITS);
    } else {
        var words = window_words(value, up);
        // Only what finds nothing there says that there is a number: the first has noted it for all others.
        if (merge(at, &words)) {
            see_bits(at, SEEN_AT, NOT_NEGATIVE_ZERO);
        }
    }
}
