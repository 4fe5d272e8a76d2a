//! Numbers of several words, as a device leaves them: the lowest word first.

pub(super) const fn word64(low: u32, high: u32) -> u64 {
    (high as u64) << 32 | low as u64
}

pub(super) const fn word128([a, b, c, d]: [u32; 4]) -> u128 {
    (word64(c, d) as u128) << 64 | word64(a, b) as u128
}
