// What the invocations of a workgroup share, through workgroup memory alone.

// The largest exponent of the workgroup's. `digits` are not needed yet, and zero.
fn share_largest(exponent: u32, me: Invocation) -> u32 {
    atomicMax(&digits[0], i32(exponent));
    workgroupBarrier();
    let shared_largest = u32(atomicLoad(&digits[0]));
    workgroupBarrier();
    if (me.local == 0u) {
        atomicStore(&digits[0], 0);
    }
    return shared_largest;
}

// Adds a window to the bins.
fn close_window(window: Window, me: Invocation) {
    if (is_used(window)) {
        put_pieces(window.base, pieces_of(window));
    }
}

fn note_flags(flags: u32, me: Invocation) {
    if (flags != 0u) {
        atomicOr(&seen, flags);
    }
}
