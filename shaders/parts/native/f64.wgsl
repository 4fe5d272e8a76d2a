// Numbers that are computed with, and what is kept of them, here both f64 of a device that has it; and the two words of their bits, the lower
// first. WGSL has no bitcast between them; u64 is the way.

alias Real = f64;
alias Kept = f64;

fn kept_of(bits: vec2<u32>) -> Kept {
    return bitcast<f64>(u64(bits.x) | (u64(bits.y) << 32u));
}

fn words_of_kept(value: Kept) -> vec2<u32> {
    let bits = bitcast<u64>(value);
    return vec2<u32>(u32(bits), u32(bits >> 32u));
}
