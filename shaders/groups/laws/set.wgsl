// Bits that any accumulator has, or lacks.

fn is_settled(_k: u32) -> bool {
    return false;
}

fn merge(at: Slot, kept: ptr<function, array<u32, MERGED_WORDS>>) -> bool {
    for (var k = 0u; k < MERGED_WORDS; k++) {
        see_bits(at, k, (*kept)[k]);
    }
    return false;
}

fn join(total: Slot, kept: ptr<function, array<u32, MERGED_WORDS>>) {
    _ = merge(total, kept);
}
