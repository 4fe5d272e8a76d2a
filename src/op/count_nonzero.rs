//! How many elements are not zero.

use super::host::{fold, same};
use super::zero::Zero as _;
use super::{OpRecord, Over, operate};
use crate::op::accumulator::Accumulator;
use crate::shader::fragment::fragment;

/// How many elements are not zero; 0 of none. −0 is zero, NaN is not.
///
/// The count is exact, and the result has the same bits on every device, with every tuning.
///
/// ```
/// use wgpu_reduce::{CountNonZero, Operation};
///
/// assert_eq!(CountNonZero.on_cpu(&[0.0, -0.0, f32::NAN, 2.0])?, 2);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct CountNonZero;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "count_nonzero",
    several: None,
    of_none: true,
    over: |_| Some(Over::unfinished(fragment!("ops/count_nonzero.wgsl"), Accumulator::Count)),
    on_host: |_| Some(|parts| fold(parts, u64::wrapping_add, same)),
};

operate!(CountNonZero of f32, i32, u32, i64, u64, f64 => u64; |values| {
    Ok(values.iter().filter(|value| !value.is_zero()).count() as u64)
});
