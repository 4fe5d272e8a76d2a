//! The largest magnitude.

use super::host::{fold, of_bits, same};
use super::order::{End, Ordered, extreme};
use super::{OpRecord, Over, operate};
use crate::op::accumulator::Accumulator;
use crate::op::merging::Merging;
use crate::shader::fragment::fragment;

/// The largest magnitude of an element; 0 of none.
///
/// | elements | result |
/// |---|---|
/// | `i32`, `u32` | `u32`: the magnitude of [`i32::MIN`] is 2^31 |
/// | `i64`, `u64` | `u64`: the magnitude of [`i64::MIN`] is 2^63 |
/// | `f32`, `f64` | the same: NaN if there is one |
///
/// NaN and infinity are told by integer operations on the bits. The result has the same bits on every
/// device, with every tuning.
///
/// ```
/// use wgpu_reduce::{NormMax, Operation};
///
/// assert_eq!(NormMax.on_cpu(&[3.0_f32, -4.0])?, 4.0);
/// assert_eq!(NormMax.on_cpu(&[i32::MIN, 7])?, 1 << 31);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NormMax;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "norm_max",
    several: None,
    of_none: true,
    over: |number| {
        let over = Over::unfinished(fragment!("ops/norm_max.wgsl"), Accumulator::bits(number));
        Some(over.merged(Merging::Largest))
    },
    on_host: |number| {
        Some(of_bits(
            number,
            |parts| fold(parts, u32::max, same),
            |parts| fold(parts, u64::max, same),
        ))
    },
};

operate!(NormMax of f32, f64; |values| Ok(largest(values.iter().map(|value| value.abs()))));
operate!(NormMax of u32, u64; |values| Ok(largest(values.iter().copied())));
operate!(NormMax of i32 => u32; |values| Ok(largest(values.iter().map(|value| value.unsigned_abs()))));
operate!(NormMax of i64 => u64; |values| Ok(largest(values.iter().map(|value| value.unsigned_abs()))));

/// 0 of none.
fn largest<T: Ordered + Default>(magnitudes: impl Iterator<Item = T>) -> T {
    let magnitudes: Vec<_> = magnitudes.collect();
    extreme(&magnitudes, End::Largest).map_or_else(T::default, |found| found.value)
}
