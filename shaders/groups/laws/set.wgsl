// Bits that any accumulator has, or lacks.

fn merge(at: Slot, kept: ptr<function, array<u32, MERGED_WORDS>>) -> bool {
    for (var k = 0u; k < MERGED_WORDS; k++) {
        see_bits(at, k, (*kept)[k]);
    }
    return false;
}
