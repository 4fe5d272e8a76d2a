//! Sum.

use super::{OpRecord, Operation, Over};
use crate::accumulator::Accumulator;
use crate::element::ElementKind;
use crate::error::Result;
use crate::fragment::fragment;

/// The sum of all elements; `0` for none.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32` | `i64` | exact below 2^32 elements, modulo 2^64 beyond |
/// | `u32` | `u64` | exact below 2^32 elements, modulo 2^64 beyond |
/// | `f32` | `f32` | rounded; [`Plan::error_bound`](crate::Plan::error_bound) says by how much |
///
/// The `f32` sum has the same bits on every run on one adapter with one tuning, because the order
/// of additions depends on nothing but the plan. It depends on length, tuning and where in its buffer
/// the first element lies (modulo the alignment of bindings), and it is taken for granted that the
/// driver forms subgroups of the same size for the same pipeline. Between adapters it may differ. NaN and infinity
/// follow IEEE 754 as far as the device's arithmetic does (WGSL lets a compiler assume that they do
/// not occur); devices may flush subnormal numbers to zero; the sign of a zero result is not
/// specified.
///
/// ```
/// use wgpu_reduce::{Operation, Sum};
///
/// let sum = Operation::<i32>::on_cpu(&Sum, &[i32::MAX, i32::MAX])?;
/// assert_eq!(sum, 4_294_967_294_i64);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "sum",
    fragment: fragment!("ops/sum.wgsl"),
    over: |element| {
        Some(Over::unfinished(match element {
            ElementKind::F32 => Accumulator::F32,
            ElementKind::I32 | ElementKind::U32 => Accumulator::I64,
        }))
    },
};

/// The sum in f64, rounded once: nearer to the real sum than any f32 accumulation.
impl Operation<f32> for Sum {
    type Output = f32;

    fn record(&self) -> &'static OpRecord {
        &RECORD
    }

    #[expect(clippy::cast_possible_truncation, reason = "the one rounding to f32 that is wanted")]
    fn on_cpu(&self, values: &[f32]) -> Result<f32> {
        Ok(values.iter().fold(0.0, |sum, &v| sum + f64::from(v)) as f32)
    }
}

impl Operation<i32> for Sum {
    type Output = i64;

    fn record(&self) -> &'static OpRecord {
        &RECORD
    }

    fn on_cpu(&self, values: &[i32]) -> Result<i64> {
        Ok(values.iter().fold(0, |sum, &v| sum.wrapping_add(i64::from(v))))
    }
}

impl Operation<u32> for Sum {
    type Output = u64;

    fn record(&self) -> &'static OpRecord {
        &RECORD
    }

    fn on_cpu(&self, values: &[u32]) -> Result<u64> {
        Ok(values.iter().fold(0, |sum, &v| sum.wrapping_add(u64::from(v))))
    }
}
