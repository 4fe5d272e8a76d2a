//! The largest magnitude.

use super::order::{End, Ordered, extreme};
use super::{OpRecord, Over, operate};
use crate::accumulator::Accumulator;
use crate::error::{Error, Result};
use crate::fragment::fragment;

/// The largest magnitude of an element.
///
/// | elements | result |
/// |---|---|
/// | `i32`, `u32` | `u32`: the magnitude of [`i32::MIN`] is 2^31 |
/// | `f32` | `f32`: NaN if there is one |
///
/// NaN and infinity are told by integer operations on the bits. The result has the same bits on every device, with every tuning. Of no elements there is no result:
/// [`Error::Empty`](crate::Error::Empty).
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
    of_none: false,
    over: |_| Some(Over::unfinished(fragment!("ops/norm_max.wgsl"), Accumulator::Word)),
};

operate!(NormMax of f32 => f32; |values| {
    let magnitudes: Vec<_> = values.iter().map(|value| value.abs()).collect();
    largest(&magnitudes)
});
operate!(NormMax of i32 => u32; |values| {
    let magnitudes: Vec<_> = values.iter().map(|value| value.unsigned_abs()).collect();
    largest(&magnitudes)
});
operate!(NormMax of u32 => u32; largest);

fn largest<T: Ordered>(values: &[T]) -> Result<T> {
    let found = extreme(values, End::Largest).ok_or(Error::Empty { operation: RECORD.name })?;
    Ok(found.value)
}
