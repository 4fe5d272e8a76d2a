// A window: a sum of 96 bits in registers, for terms of f64 whose exponents are among 23 neighbouring ones.
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
