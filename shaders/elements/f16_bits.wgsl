// f16 for exact sums: the lower half of a word becomes the bits of the f32 that has the same value, by integers
// alone, so that no device looks at it as at a number.

fn element(bits: u32) -> Element {
    let sign = (bits & 0x8000u) << 16u;
    let rest = bits & 0x7fffu;
    let normal = (rest << 13u) + 0x38000000u;
    // The highest bit of a subnormal number's digits becomes the leading one, 23 places up, and counts 2^-24 there.
    let up = countLeadingZeros(rest) - 8u;
    let subnormal = select(0u, ((125u - up) << 23u) + (rest << up), rest != 0u);
    let beyond = (rest << 13u) | 0x7f800000u;
    let number = select(normal, subnormal, rest < 0x0400u);
    return sign | select(number, beyond, rest >= 0x7c00u);
}
