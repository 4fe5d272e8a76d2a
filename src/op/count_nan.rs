//! How many elements are NaN.

use super::host::{HostFold, fold, same};
use super::{OpRecord, Over, operate};
use crate::op::accumulator::Accumulator;
use crate::shader::fragment::fragment;

/// How many elements are NaN; 0 of none.
///
/// The count is exact: NaN is told by integer operations on the bits. The result has the same bits on
/// every device, with every tuning. Integers have no NaN, so there is none of them.
///
/// ```
/// use wgpu_reduce::{CountNan, Operation};
///
/// assert_eq!(CountNan.on_cpu(&[0.0, f32::NAN, f32::INFINITY])?, 1);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct CountNan;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "count_nan",
    several: None,
    of_none: true,
    over: |number| {
        let over = Over::unfinished(fragment!("ops/count_nan.wgsl"), Accumulator::Count);
        number.is_float().then_some(over)
    },
    on_host: |number| {
        let fold: HostFold = |parts| fold(parts, u64::wrapping_add, same);
        number.is_float().then_some(fold)
    },
};

operate!(CountNan of f32, f64 => u64; |values| {
    Ok(values.iter().filter(|value| value.is_nan()).count() as u64)
});
