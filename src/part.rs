//! Where elements lie.

/// Consecutive elements of one buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Where the first of them starts; a multiple of the element's size.
    pub offset_bytes: u64,
    /// How many there are.
    pub len: u64,
}

/// Elements in all parts; `u64::MAX` if there are more.
pub(crate) fn len_of(parts: &[Part]) -> u64 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(part.len))
}
