// A slot of an exact sum is a window, and what has been seen. What does not fit the window is in digits behind all slots
// (histogram/weights/digits.wgsl).

// Where the window lies.
@group(0) @binding(8) var<storage, read> window_place: array<u32>;

const KEPT_WORDS: u32 = WINDOW_WORDS + 1u;

// What kinds of numbers have been seen, and whether digits have some.
const SEEN_AT: u32 = WINDOW_WORDS;
const HAS_DIGITS: u32 = 0x80000000u;

fn digits_of(group: u32) -> u32 {
    return total_of(parameters.groups) + group * TOTAL_WORDS;
}
