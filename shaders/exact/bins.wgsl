// The bins of a workgroup, where terms are added that no window takes.
//
// A bin is a sum modulo 2^32, and what is carried out of it is counted beside it, in units of 2^32. An addition
// to a bin tells what was there before, and so who carries. Windows are added to the bins, in pieces.
//
// Bounds, of what a workgroup adds to one bin:
//
//   elements of f32            2^25 of less than 2^24       carry less than 2^17 times
//   products of f32, in halves 2^24 of less than 2^24       2^16
//   elements of f64, in halves 2^25 of less than 2^28       2^21
//   products of f64, in parts  2^24 of less than 2^31       2^23
//
// The highest pieces of windows add up to less than 2^17, of f64 2^26. Other pieces of windows carry less than 2^25
// times, of f64 2^28: a window that is moved has failed to take at least two tiles.

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
