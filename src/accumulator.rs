//! What elements are accumulated in: the WGSL type `Acc` between lift and finish.

use crate::fragment::{Fragment, fragment};

/// An accumulator, and the arithmetic on it. Which one an operation takes for which elements is said
/// by its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Accumulator {
    /// f32, rounding at every addition.
    F32,
    /// One 32-bit word, modulo 2^32.
    Word,
    /// 64-bit integers in two words, modulo 2^64.
    I64,
}

impl Accumulator {
    pub(crate) const fn fragment(self) -> Fragment {
        match self {
            Self::F32 => fragment!("accumulators/f32.wgsl"),
            Self::Word => fragment!("accumulators/word.wgsl"),
            Self::I64 => fragment!("accumulators/i64.wgsl"),
        }
    }

    pub(crate) const fn size_bytes(self) -> u64 {
        match self {
            Self::F32 | Self::Word => 4,
            Self::I64 => 8,
        }
    }

    /// Whether additions round.
    pub(crate) const fn rounds(self) -> bool {
        matches!(self, Self::F32)
    }
}
