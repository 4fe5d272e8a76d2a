// The bins of a workgroup: one for every sign and exponent, so that to add an element takes one addition
// to workgroup memory, and no place of a number has to be found.
//
// Bin b is for elements whose upper nine bits are b. It is a sum of significands modulo 2^32, and what
// is carried out of it is counted beside it, in units of 2^32. An addition to a bin tells what was there
// before, and so who carries. Windows are added to the bins of the positive sign, in pieces.
//
// Bounds: a workgroup adds at most 2^25 elements, so its elements carry less than 2^17 times. The highest
// pieces of windows add up to less than 2^17, and the carries of pieces, three a window, to less than
// 2^25, since a window that is moved has failed to take at least two tiles.

const BINS: u32 = 512u;

var<workgroup> bins: array<atomic<u32>, BINS>;
var<workgroup> carries: array<atomic<i32>, BINS>;

// What has been seen among the elements.
const NOT_NEGATIVE_ZERO: u32 = 1u;
const POSITIVE_INFINITY: u32 = 2u;
const NEGATIVE_INFINITY: u32 = 4u;
const NOT_A_NUMBER: u32 = 8u;

fn clear_bins(local: u32) {
    for (var b = local; b < BINS; b += WORKGROUP_SIZE) {
        atomicStore(&bins[b], 0u);
        atomicStore(&carries[b], 0);
    }
}

fn put_in_bin(bin: u32, value: u32) {
    let before = atomicAdd(&bins[bin], value);
    if (value > ~before) {
        atomicAdd(&carries[bin], 1);
    }
}

// Adds an element. What it is besides a number is returned; where only the bins can tell, they do.
fn put(element: u32) -> u32 {
    // Of normal numbers the exponent is 1 to 254.
    if ((element & ~SIGN) - LEADING < EXPONENT - LEADING) {
        put_in_bin(element >> 23u, (element & FRACTION) | LEADING);
        return 0u;
    }
    return put_unusual(element);
}

const SIGN: u32 = 0x80000000u;

fn put_unusual(element: u32) -> u32 {
    let magnitude = element & ~SIGN;
    if (magnitude > EXPONENT) {
        return NOT_A_NUMBER;
    }
    if (magnitude == EXPONENT) {
        return select(POSITIVE_INFINITY, NEGATIVE_INFINITY, element > SIGN);
    }
    if (magnitude != 0u) {
        // Subnormal: the exponent is that of bin 1, and there is no leading bit.
        put_in_bin(element >> 23u, element & FRACTION);
    }
    return select(NOT_NEGATIVE_ZERO, 0u, element == SIGN);
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

// Adds the pieces of a window, or the sums of the pieces of up to 128 windows with this base.
fn put_pieces(base: u32, pieces: Pieces) {
    let bin = base >> 23u;
    put_in_bin(bin, pieces.low);
    put_in_bin(bin + 24u, pieces.middle);
    put_in_bin(bin + 24u, u32(pieces.high) << 24u);
    atomicAdd(&carries[bin + 24u], pieces.high >> 8u);
}
