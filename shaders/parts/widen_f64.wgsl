// f64 and the two words of its bits, the lower first, where the device has f64. WGSL has no bitcast between
// them; u64 is the way.

fn widen(bits: Element) -> f64 {
    return bitcast<f64>(u64(bits.x) | (u64(bits.y) << 32u));
}

fn words_of_f64(value: f64) -> vec2<u32> {
    let bits = bitcast<u64>(value);
    return vec2<u32>(u32(bits), u32(bits >> 32u));
}
