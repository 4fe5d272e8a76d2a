// A window: a sum of 96 bits in registers, for terms of f64 whose exponents are among 23 neighbouring ones; and how
// numbers of 56 bits get into bins.
//
// An element is two words; its exponent is in the upper one. A term is the significand of an element, or half of that of
// a product. It has up to 56 bits and a sign. The window has its lowest bit at `base`. So a term is shifted up by
// exponent - base, which is 0 to 22: a number t of 78 bits and a sign. A tile adds these in three parts:
//
//   low    <- low + t                 modulo 2^32
//   middle <- middle + (t >> 27)      modulo 2^32
//   high   <- high + (t >> 54)        all shifts rounded down
//
// The lowest 27 bits of up to 31 terms add up to less than 2^32, and so to low - (middle << 27) modulo 2^32;
// those of the next 27 bits to middle - (high << 27). Nothing is masked and nothing carried until a tile is
// complete. A negative term is added as -t - 1, all bits of t turned round, and counted.
//
// Bounds, which the host keeps: a tile has at most 16 terms. So high is 2^28 at most in magnitude, and the lowest
// bits and the count of negative terms are below 2^32 together. A window takes at most 2^15 elements of less than 2^75
// each, or 2^14 halves of products of less than 2^78.

// Of the upper word.
const FRACTION: u32 = 0x000fffffu;
const LEADING: u32 = 0x00100000u;
const EXPONENT: u32 = 0x7ff00000u;
const SIGN: u32 = 0x80000000u;

// Where exponents have their place in it.
const EXPONENT_SHIFT: u32 = 20u;

// The distance from the lowest to the highest exponent that fits, in that place.
const SPAN: u32 = 22u << EXPONENT_SHIFT;

struct Window {
    // The lowest exponent that fits, in that place.
    base: u32,
    low: u32,
    middle: u32,
    high: i32,
}

// Adds a number of 96 bits.
fn add_to_window(window: Window, low: u32, middle: u32, high: i32) -> Window {
    let next_low = window.low + low;
    let partial = window.middle + middle;
    let next_middle = partial + u32(next_low < low);
    let carry = select(0, 1, partial < middle || next_middle < partial);
    return Window(window.base, next_low, next_middle, window.high + high + carry);
}

// The window and a tile of which everything fits.
fn add_parts(window: Window, low: u32, middle: u32, high: i32, negatives: u32) -> Window {
    let lowest = low - (middle << 27u) + negatives;
    let next = middle - (u32(high) << 27u);
    let with_high = add_to_window(window, 0u, u32(high) << 22u, high >> 10u);
    let with_next = add_to_window(with_high, next << 27u, next >> 5u, 0);
    return add_to_window(with_next, lowest, 0u, 0);
}

fn is_used(window: Window) -> bool {
    return (window.low | window.middle | u32(window.high)) != 0u;
}

// A window's bits 0 to 23, 24 to 47, 48 to 71, and from 72 on.
struct Pieces {
    first: u32,
    second: u32,
    third: u32,
    last: i32,
}

fn pieces_of(window: Window) -> Pieces {
    let middle = window.middle;
    let high = u32(window.high);
    return Pieces(
        window.low & 0xffffffu,
        ((window.low >> 24u) | (middle << 8u)) & 0xffffffu,
        ((middle >> 16u) | (high << 16u)) & 0xffffffu,
        window.high >> 8u,
    );
}

// Adds (high, low) to a bin.
fn put_words_in_bin(bin: u32, low: u32, high: i32) {
    put_in_bin(bin, low);
    if (high != 0) {
        atomicAdd(&carries[bin], high);
    }
}

// Adds the pieces of a window, or the sums of the pieces of up to 128 windows with this base.
fn put_pieces(base: u32, pieces: Pieces) {
    let place = (base >> EXPONENT_SHIFT) - FIRST_EXPONENT;
    let bin = place / 4u;
    let up = place % 4u;
    // Two shifts, since one by 32 is none.
    let down = 31u - up;
    put_words_in_bin(bin, pieces.first << up, i32((pieces.first >> 1u) >> down));
    put_words_in_bin(bin + 6u, pieces.second << up, i32((pieces.second >> 1u) >> down));
    put_words_in_bin(bin + 12u, pieces.third << up, i32((pieces.third >> 1u) >> down));
    put_words_in_bin(bin + 18u, u32(pieces.last) << up, (pieces.last >> 1u) >> down);
}

// Adds a number of 56 bits at a place, 28 bits and what is above.
fn put_words(place: u32, lower: u32, upper: u32, is_negative: bool) {
    let up = place % 4u;
    let low = lower << up;
    let high = (upper << up) | ((lower >> 1u) >> (31u - up));
    add_to_bin(place / 4u, low & 0xfffffffu, is_negative);
    add_to_bin(place / 4u + 7u, (low >> 28u) | (high << 4u), is_negative);
}

// Adds or takes away. What is carried, or borrowed, follows from what was there before.
fn add_to_bin(bin: u32, value: u32, is_negative: bool) {
    let before = atomicAdd(&bins[bin], select(value, 0u - value, is_negative));
    if (value > select(~before, before, is_negative)) {
        atomicAdd(&carries[bin], select(1, -1, is_negative));
    }
}

// Bins to digits, each by one invocation.
fn digest_bins(local: u32) {
    for (var bin = local; bin < BINS; bin += WORKGROUP_SIZE) {
        let value = atomicLoad(&bins[bin]);
        let carried = atomicLoad(&carries[bin]);
        if ((value | u32(carried)) != 0u) {
            put_digits(value, carried, 4u * bin);
        }
    }
}
