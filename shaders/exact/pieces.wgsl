// What a window of 64 bits (parts/window.wgsl) leaves in the bins.

fn is_used(window: Window) -> bool {
    return window.low != 0u || window.high != 0;
}

// Adds the pieces of a window, or the sums of the pieces of up to 128 windows with this base.
fn put_pieces(base: u32, pieces: Pieces) {
    let bin = base >> 23u;
    put_in_bin(bin, pieces.low);
    put_in_bin(bin + 24u, pieces.middle);
    put_in_bin(bin + 24u, u32(pieces.high) << 24u);
    atomicAdd(&carries[bin + 24u], pieces.high >> 8u);
}
