// A key of floats between two, by the values that they stand for. Where these are infinite or NaN, it is any key.
fn key_between(low: u32, high: u32, share: f32) -> u32 {
    let first = bitcast<f32>(bits_of_key_at(low));
    let last = bitcast<f32>(bits_of_key_at(high));
    return bits_above(turned(sort_key(first + (last - first) * share)), UNUSED);
}
