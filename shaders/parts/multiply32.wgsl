// Products of words and of pairs of words, by halves of words.

// All 64 bits of the product of two words.
fn multiply32(a: u32, b: u32) -> vec2<u32> {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    // Neither sum overflows: (2^16 - 1)^2 + 2^16 - 1 < 2^32.
    let left = a_high * b_low + ((a_low * b_low) >> 16u);
    let right = a_low * b_high + (left & 0xffffu);
    return vec2<u32>(a * b, a_high * b_high + (left >> 16u) + (right >> 16u));
}

// The product of two numbers of 64 bits, modulo 2^64.
fn multiply64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = multiply32(a.x, b.x);
    return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}
