//! Where elements lie.

/// Consecutive elements of one buffer. [`Plan`](crate::Plan) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Where the first of them starts; a multiple of the element's size.
    pub offset_bytes: u64,
    /// How many there are.
    pub len: u64,
}
