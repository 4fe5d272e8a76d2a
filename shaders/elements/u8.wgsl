// u8: the lowest byte, with 32 bits from here on.

fn element(bits: u32) -> Element {
    return bits & 0xffu;
}
