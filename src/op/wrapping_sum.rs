//! Sum modulo 2^32 or 2^64.

use super::host::{fold, same};
use super::{OpRecord, Over, operate};
use crate::op::accumulator::Accumulator;
use crate::op::element::Number;
use crate::op::merging::Merging;
use crate::shader::fragment::fragment;

/// The sum of all elements in their own type, modulo 2^32 or 2^64; `0` for none.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32` | `i32` | what repeated [`i32::wrapping_add`] gives |
/// | `u32` | `u32` | what repeated [`u32::wrapping_add`] gives |
/// | `i64` | `i64` | what repeated [`i64::wrapping_add`] gives |
/// | `u64` | `u64` | what repeated [`u64::wrapping_add`] gives |
///
/// This is what CUB's `DeviceReduce::Sum` computes of integers. The accumulator is half as
/// large as that of [`Sum`](crate::Sum), which cannot overflow. The order of additions makes no
/// difference: the result has the same bits on every device, with every tuning.
///
/// ```
/// use wgpu_reduce::{Operation, WrappingSum};
///
/// assert_eq!(Operation::<u32>::on_cpu(&WrappingSum, &[u32::MAX, 3])?, 2);
/// assert_eq!(Operation::<i32>::on_cpu(&WrappingSum, &[i32::MAX, 1])?, i32::MIN);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// There is none of floats:
///
/// ```compile_fail,E0277
/// use wgpu_reduce::{Operation, WrappingSum};
///
/// Operation::<f32>::on_cpu(&WrappingSum, &[1.0])?;
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct WrappingSum;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "wrapping_sum",
    several: None,
    of_none: true,
    over: |number| {
        let accumulator = match number {
            Number::F32 | Number::F64 => return None,
            Number::I32 | Number::U32 => Accumulator::Word,
            Number::I64 | Number::U64 => Accumulator::Count,
        };
        let over = Over::unfinished(fragment!("ops/wrapping_sum.wgsl"), accumulator);
        Some(over.merged(Merging::Added))
    },
    on_host: |number| {
        Some(match number {
            Number::F32 | Number::F64 => return None,
            Number::I32 | Number::U32 => |parts| fold(parts, u32::wrapping_add, same),
            Number::I64 | Number::U64 => |parts| fold(parts, u64::wrapping_add, same),
        })
    },
};

operate!(WrappingSum of i32, u32, i64, u64; |values| {
    Ok(values.iter().fold(0, |sum, &v| sum.wrapping_add(v)))
});
