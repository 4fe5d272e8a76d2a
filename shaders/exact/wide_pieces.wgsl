// What a window of 96 bits (parts/wide_window.wgsl) leaves in the bins, and how numbers of 56 bits get there.

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
