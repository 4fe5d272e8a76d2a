// f16: the lower half of a word; an f32 from here on, which has every f16. Devices may take subnormal
// numbers for 0, so those are made from their digits.

fn element(bits: u32) -> Element {
    let sign = (bits & 0x8000u) << 16u;
    let rest = bits & 0x7fffu;
    let normal = (rest << 13u) + 0x38000000u;
    let subnormal = bitcast<u32>(f32(rest) * 0x1p-24f);
    let beyond = (rest << 13u) | 0x7f800000u;
    let number = select(normal, subnormal, rest < 0x0400u);
    return bitcast<f32>(sign | select(number, beyond, rest >= 0x7c00u));
}
