// Addition of 128-bit integers as four 32-bit limbs, the lowest first, modulo 2^128.

fn add128(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let low = add64(a.xy, b.xy);
    let carries = low.y < a.y || (low.y == a.y && low.x < a.x);
    let high = add64(add64(a.zw, b.zw), vec2<u32>(select(0u, 1u, carries), 0u));
    return vec4<u32>(low, high);
}
