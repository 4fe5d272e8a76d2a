// u16: the lower half of a word, with 32 bits from here on.

fn element(bits: u32) -> Element {
    return bits & 0xffffu;
}
