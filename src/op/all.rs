//! Whether no element is zero.

use super::host::{fold, same};
use super::zero::Zero as _;
use super::{OpRecord, Over, operate};
use crate::op::accumulator::Accumulator;
use crate::op::merging::Merging;
use crate::shader::fragment::fragment;

/// Whether no element is zero; true of none. −0 is zero, NaN is not.
///
/// The result has the same bits on every device, with every tuning. What a device leaves is a `u32`: 1
/// or 0.
///
/// ```
/// use wgpu_reduce::{All, Operation};
///
/// assert!(All.on_cpu(&[1.0, f32::NAN])?);
/// assert!(!All.on_cpu(&[1, 0])?);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct All;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "all",
    several: None,
    of_none: true,
    over: |_| {
        let over = Over::unfinished(fragment!("ops/all.wgsl"), Accumulator::Word);
        Some(over.merged(Merging::AllBits))
    },
    on_host: |_| Some(|parts| fold(parts, |a: u32, b| a & b, same)),
};

operate!(All of f32, i32, u32, i64, u64, f64 => bool, from u32 = |raw, _| Ok(raw != 0); |values| {
    Ok(values.iter().all(|value| !value.is_zero()))
});
