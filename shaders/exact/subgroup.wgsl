// What the invocations of a workgroup share, where the device has subgroup operations.
//
// Nothing here depends on the size of a subgroup or on which of its lanes take part.

// The largest exponent of a subgroup's.
fn share_largest(exponent: u32, me: Invocation) -> u32 {
    return subgroupMax(exponent);
}

// One of the lanes that are together here: the first may be elsewhere.
fn leads_subgroup(me: Invocation) -> bool {
    return subgroupBroadcastFirst(me.lane) == me.lane;
}

// Adds everybody's windows to the bins: those with the highest base as one, since most have the same.
fn close_window(window: Window, me: Invocation) {
    let base = subgroupMax(window.base);
    var pieces = pieces_of(window);
    if (window.base != base) {
        put_pieces(window.base, pieces);
        pieces = Pieces();
    }
    let shared_pieces = pieces_of_lanes(pieces);
    if (leads_subgroup(me)) {
        put_pieces(base, shared_pieces);
    }
}

fn note_flags(flags: u32, me: Invocation) {
    let flags_of_lanes = subgroupOr(flags);
    if (leads_subgroup(me)) {
        atomicOr(&seen, flags_of_lanes);
    }
}
