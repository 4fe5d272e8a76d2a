// A key of integers between two, which are as far apart as their values.
fn key_between(low: u32, high: u32, share: f32) -> u32 {
    return low + u32(f32(high - low) * share);
}
