// Addition of 128-bit integers as four words, the lowest first, modulo 2^128.

fn add128(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let low_a = u64_of(a.xy);
    let low = low_a + u64_of(b.xy);
    let carry = select(u64(0u), u64(1u), low < low_a);
    let high = u64_of(a.zw) + u64_of(b.zw) + carry;
    return vec4<u32>(words_of(low), words_of(high));
}
