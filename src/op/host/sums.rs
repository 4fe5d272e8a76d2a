//! Sums and sets of bits.

use super::{HostFold, fold, same};
use crate::error::Result;
use crate::op::element::Number;

/// Adds what [`Accumulator::sum`](crate::op::accumulator::Accumulator::sum) has: floats, or integers twice as wide as
/// the elements.
pub(in crate::op) fn sums(number: Number) -> HostFold {
    match number {
        Number::F32 => |partials| fold(partials, |a: f32, b| a + b, same),
        Number::F64 => |partials| fold(partials, |a: f64, b| a + b, same),
        Number::I32 | Number::U32 => |partials| fold(partials, u64::wrapping_add, same),
        Number::I64 | Number::U64 => |partials| fold(partials, u128::wrapping_add, same),
    }
}

/// Adds integers of 128 bits.
pub(in crate::op) fn sums_of_128_bits(partials: &[u8]) -> Result<Vec<u8>> {
    fold(partials, u128::wrapping_add, same)
}

/// The fold of words or of pairs of them, as [`Accumulator::bits`](crate::op::accumulator::Accumulator::bits) has one or the other.
pub(in crate::op) const fn of_bits(number: Number, word: HostFold, pair: HostFold) -> HostFold {
    if number.has_64_bits() { pair } else { word }
}
