// Products of words and of pairs of words.

// All 64 bits of the product of two words.
fn multiply32(a: u32, b: u32) -> vec2<u32> {
    return words_of(u64(a) * u64(b));
}

// The product of two numbers of 64 bits, modulo 2^64.
fn multiply64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return words_of(u64_of(a) * u64_of(b));
}
