//! Where elements lie.

/// Consecutive elements of one buffer. [`Problem::parts`](crate::Problem::parts) has an example.
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

#[cfg(test)]
pub(crate) mod tests {
    use super::Part;

    /// Parts of elements of so many bytes, at these offsets and of these lengths in elements, the last, at an offset of its
    /// own, so long that there are `len` elements.
    pub(crate) fn parts_of(len: u64, cuts: &[(u64, u64)], last: u64, size: u64) -> Vec<Part> {
        let mut left = len;
        let mut parts: Vec<_> = cuts
            .iter()
            .map(|&(offset, len)| {
                let len = len.min(left);
                left -= len;
                Part { offset_bytes: offset * size, len }
            })
            .collect();
        parts.push(Part { offset_bytes: last * size, len: left });
        parts
    }
}
