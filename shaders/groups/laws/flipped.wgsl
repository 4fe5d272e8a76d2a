// Bits that an odd number of accumulators has.

fn merge(at: Slot, kept: ptr<function, array<u32, MERGED_WORDS>>) -> bool {
    for (var k = 0u; k < MERGED_WORDS; k++) {
        if ((*kept)[k] != 0u) {
            flip_bits(at, k, (*kept)[k]);
        }
    }
    return false;
}
