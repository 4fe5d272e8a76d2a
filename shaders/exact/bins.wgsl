// The bins of a workgroup, where terms are added that no window takes.
//
// A bin is a sum modulo 2^32, and what is carried out of it is counted beside it, in units of 2^32. An addition
// to a bin tells what was there before, and so who carries. Windows are added to the bins, in pieces.
//
// Bounds: a workgroup adds at most 2^25 elements, or 2^24 products in two halves, to a bin, of less than 2^24
// each, so that these carry less than 2^17 times; elements of f64 and halves of their products, 2^28 and what is
// above, of less than 2^31, 2^24 times. The
// highest pieces of windows add up to less than 2^17 (2^26), and the carries of pieces, three (four) a window, to less
// than 2^25 (2^28), since a window that is moved has failed to take at least two tiles.

var<workgroup> bins: array<atomic<u32>, BINS>;
var<workgroup> carries: array<atomic<i32>, BINS>;

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
