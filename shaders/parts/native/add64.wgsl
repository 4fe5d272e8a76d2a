// Integers of 64 bits as two words, the lower first, and as the device's own. Sums are modulo 2^64.

fn u64_of(words: vec2<u32>) -> u64 {
    return (u64(words.y) << 32u) | u64(words.x);
}

fn words_of(value: u64) -> vec2<u32> {
    return vec2<u32>(u32(value), u32(value >> 32u));
}

fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return words_of(u64_of(a) + u64_of(b));
}
