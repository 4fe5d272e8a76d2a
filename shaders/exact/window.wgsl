// A window: a sum of 64 bits in registers, for elements whose exponents are among 25 neighbouring ones.
//
// An element is significand * 2^exponent in some unit, and the significand has 24 bits and a sign. The
// window has its lowest bit at `base`, so an element is its significand shifted up by exponent - base,
// which is 0 to 24: a number of 48 bits. A tile adds these in two halves:
//
//   low  <- low + (significand << up)               modulo 2^32
//   high <- high + (significand >> (24 - up))       the bits from the 24th on, rounded down
//
// What rounding down left out of `high` is 0 to 2^24 - 1 for each element, of up to 255 elements less
// than 2^32 together, and so it is low - (high << 24) modulo 2^32. Nothing is masked and nothing carried
// until a tile is complete.
//
// Bounds, which the host keeps: a tile has at most 127 elements, so that high is below 127 * 2^24 in
// magnitude; a window takes at most 2^15 elements of less than 2^48 each.

const FRACTION: u32 = 0x007fffffu;
const LEADING: u32 = 0x00800000u;
const EXPONENT: u32 = 0x7f800000u;

// The distance from the lowest to the highest exponent that fits, in the place that exponents have in
// an element.
const SPAN: u32 = 24u << 23u;

struct Window {
    // The lowest exponent that fits, 1 to 230, in that place. So neither zeros and subnormal numbers,
    // whose exponent is 0, ever fit, nor infinities and NaNs, whose exponent is 255.
    base: u32,
    low: u32,
    high: i32,
}

// The sum of a part of a tile.
struct Tile {
    low: u32,
    high: i32,
    // How far above the base an exponent was, at most; below it counts as very far above.
    farthest: u32,
}

// Of an element that does not fit, what is shifted and how far is of no use; it is only noted.
fn add_quad(tile: ptr<function, Tile>, quad: vec4<u32>, base: u32) {
    let above = (quad & vec4(EXPONENT)) - vec4(base);
    let up = above >> vec4(23u);
    let sign = bitcast<vec4<i32>>(quad) >> vec4(31u);
    let significand = (bitcast<vec4<i32>>((quad & vec4(FRACTION)) | vec4(LEADING)) ^ sign) - sign;
    let low = bitcast<vec4<u32>>(significand) << up;
    let high = significand >> (vec4(24u) - up);
    (*tile).low += (low.x + low.y) + (low.z + low.w);
    (*tile).high += (high.x + high.y) + (high.z + high.w);
    let farthest = max(max(above.x, above.y), max(above.z, above.w));
    (*tile).farthest = max((*tile).farthest, farthest);
}

// Adds a tile of which everything fits.
fn add_tile(window: ptr<function, Window>, tile: Tile) {
    let left_out = tile.low - (u32(tile.high) << 24u);
    // The bits from the 32nd on.
    let upper = (tile.high + i32(left_out >> 24u)) >> 8u;
    let low = (*window).low + tile.low;
    (*window).high += upper + select(0, 1, low < tile.low);
    (*window).low = low;
}

// The largest exponent of four elements, in its place.
fn largest(quad: vec4<u32>) -> u32 {
    let exponents = quad & vec4(EXPONENT);
    return max(max(exponents.x, exponents.y), max(exponents.z, exponents.w));
}

// An empty window for elements with exponents up to `top`.
fn window_below(top: u32) -> Window {
    return Window(clamp(top + (MARGIN << 23u), 25u << 23u, 254u << 23u) - SPAN, 0u, 0);
}

// Makes a window for other elements of this one; what is in it goes to the bins.
fn move_window(window: ptr<function, Window>, top: u32) {
    put_pieces((*window).base, pieces_of(*window));
    *window = window_below(top);
}
