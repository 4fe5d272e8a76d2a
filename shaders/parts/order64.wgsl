// Order, differences and shifts of 64-bit integers as two 32-bit limbs, the lower first.

fn less64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}

fn minus64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

// The bits from one on, of fewer than there are.
fn above64(bits: vec2<u32>, shift: u32) -> vec2<u32> {
    let of_upper = vec2<u32>(bits.y >> (shift % 32u), 0u);
    let carried = select(bits.y << ((32u - shift) % 32u), 0u, shift == 0u);
    let of_both = vec2<u32>((bits.x >> (shift % 32u)) | carried, bits.y >> (shift % 32u));
    return select(of_both, of_upper, shift >= 32u);
}
