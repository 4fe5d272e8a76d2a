// i8: the lowest byte, with 32 bits from here on.

fn element(bits: u32) -> Element {
    return bitcast<i32>(bits << 24u) >> 24u;
}
