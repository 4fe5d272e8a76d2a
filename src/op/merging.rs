//! How accumulators are merged by atomic operations on their words, in whatever order these come.

use crate::op::accumulator::Accumulator;

/// The law by which words of accumulators are merged where elements of a group come in any order. Each is exact, so the order does not
/// matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Merging {
    /// They are one integer, and added.
    Added,
    /// They are an integer of two words and another, and added.
    AddedApart,
    /// Bits that any has.
    AnyBit,
    /// Bits that all have.
    AllBits,
    /// Bits that an odd number has.
    OddBits,
    /// They are a key, and the smallest counts.
    Smallest,
    /// They are a key, and the largest counts.
    Largest,
    /// They are two keys, and the smallest of each counts.
    TwoSmallest,
    /// They are an index and a key; the smallest key counts, and of equal ones the smallest index.
    Located,
    /// They are digits of an exact sum.
    Digits,
}

impl Merging {
    /// Whether one accumulator counts, by its key, of which a pass settles one word.
    pub(crate) const fn has_keys(self) -> bool {
        matches!(self, Self::Smallest | Self::Largest | Self::TwoSmallest | Self::Located)
    }

    /// The law of accumulators that have but one. Words that may be anything have none, unless their operation names it.
    pub(crate) const fn of(accumulator: Accumulator) -> Option<Self> {
        match accumulator {
            Accumulator::I64 | Accumulator::Count | Accumulator::U128 | Accumulator::I128 => {
                Some(Self::Added)
            }
            Accumulator::Spread => Some(Self::AddedApart),
            Accumulator::Located | Accumulator::Located64 => Some(Self::Located),
            Accumulator::Exact | Accumulator::ExactF64 => Some(Self::Digits),
            _ => None,
        }
    }
}
