//! The smallest element.

use super::host::{Keyed, fold, of_number};
use super::order::{End, Ordered, extreme};
use super::{OpRecord, Over, operate};
use crate::error::{Error, Result};
use crate::op::accumulator::Accumulator;
use crate::shader::fragment::fragment;

/// The smallest element, as it is.
///
/// −0 is less than +0, and infinities are ordinary values. If there is a NaN, the result is NaN (always
/// the one with the bits of [`f32::NAN`] or [`f64::NAN`]); [`NanMin`](crate::NanMin) leaves NaN out. NaN is told by
/// integer operations on the bits, so no compiler's assumption about it matters. The result has the
/// same bits on every device, with every tuning. Of no elements there is no result:
/// [`Error::Empty`](crate::Error::Empty).
///
/// ```
/// use wgpu_reduce::{Min, Operation};
///
/// assert_eq!(Min.on_cpu(&[2.5_f32, -1.0, 7.0])?, -1.0);
/// assert!(Min.on_cpu(&[2.5, f32::NAN])?.is_nan());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Min;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "min",
    of_none: false,
    over: |number| Some(Over::unfinished(fragment!("ops/min.wgsl"), Accumulator::bits(number))),
    on_host: |number| Some(of_number!(number, combined)),
};

fn combined<T: Keyed>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, T::Key::min, T::bits_of_key)
}

operate!(Min of f32 => f32; min_of);
operate!(Min of i32 => i32; min_of);
operate!(Min of u32 => u32; min_of);
operate!(Min of i64 => i64; min_of);
operate!(Min of u64 => u64; min_of);
operate!(Min of f64 => f64; min_of);

fn min_of<T: Ordered>(values: &[T]) -> Result<T> {
    let found = extreme(values, End::Smallest).ok_or(Error::Empty { operation: RECORD.name })?;
    Ok(found.value)
}
