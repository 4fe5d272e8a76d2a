//! Whether an element is not zero.

use super::host::{fold, same};
use super::zero::Zero as _;
use super::{OpRecord, Over, operate};
use crate::op::accumulator::Accumulator;
use crate::op::merging::Merging;
use crate::shader::fragment::fragment;

/// Whether any element is not zero; false of none. −0 is zero, NaN is not.
///
/// The bits of the result and what a device leaves are as of [`All`](crate::All).
///
/// ```
/// use wgpu_reduce::{Any, Operation};
///
/// assert!(Any.on_cpu(&[0, 3])?);
/// assert!(!Any.on_cpu(&[0.0_f32, -0.0])?);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Any;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "any",
    several: None,
    of_none: true,
    over: |_| {
        let over = Over::unfinished(fragment!("ops/any.wgsl"), Accumulator::Word);
        Some(over.merged(Merging::AnyBit))
    },
    on_host: |_| Some(|parts| fold(parts, |a: u32, b| a | b, same)),
};

operate!(Any of f32, i32, u32, i64, u64, f64 => bool, from u32 = |raw, _| Ok(raw != 0); |values| {
    Ok(values.iter().any(|value| !value.is_zero()))
});
