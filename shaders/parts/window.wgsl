// A window: a sum of 64 bits in registers, for terms whose exponents are among 25 neighbouring ones.
//
// A term is significand * 2^exponent in some unit, and the significand has 24 bits and a sign. The
// window has its lowest bit at `base`, so a term is its significand shifted up by exponent - base,
// which is 0 to 24: a number of 48 bits. A tile adds these in two halves:
//
//   low  <- low + (significand << up)               modulo 2^32
//   high <- high + (significand >> (24 - up))       the bits from the 24th on, rounded down
//
// What rounding down left out of `high` is 0 to 2^24 - 1 for each term, of up to 255 terms less
// than 2^32 together, and so it is low - (high << 24) modulo 2^32. Nothing is masked and nothing carried
// until a tile is complete.
//
// Bounds, which the host keeps: a tile has at most 127 terms of 24 bits, or 63 of 25 bits, so that high is
// below 127 * 2^24 in magnitude; a window takes at most 2^15 terms of less than 2^48 each, or 2^14 of less
// than 2^49.

const FRACTION: u32 = 0x007fffffu;
const LEADING: u32 = 0x00800000u;
const EXPONENT: u32 = 0x7f800000u;
const SIGN: u32 = 0x80000000u;

// The distance from the lowest to the highest exponent that fits, in the place that exponents have in
// an element.
const SPAN: u32 = 24u << 23u;

struct Window {
    // The lowest exponent that fits, in that place.
    base: u32,
    low: u32,
    high: i32,
}

// The window and a tile of which everything fits.
fn add_halves(window: Window, tile_low: u32, tile_high: i32) -> Window {
    let left_out = tile_low - (u32(tile_high) << 24u);
    // The bits from the 32nd on.
    let upper = (tile_high + i32(left_out >> 24u)) >> 8u;
    let low = window.low + tile_low;
    return Window(window.base, low, window.high + upper + select(0, 1, low < tile_low));
}

// A window's bits 0 to 23, 24 to 47, and from 48 on.
struct Pieces {
    low: u32,
    middle: u32,
    high: i32,
}

fn pieces_of(window: Window) -> Pieces {
    let middle = ((window.low >> 24u) | (u32(window.high) << 8u)) & 0xffffffu;
    return Pieces(window.low & 0xffffffu, middle, window.high >> 16u);
}
