// The product of numbers of 64 bits, modulo 2^64.

fn multiply64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return words_of(u64_of(a) * u64_of(b));
}
