//! Mean of what is not NaN.

use super::deviations::{bound_of_mean, mean, numbers, to_f32};
use super::host::{Real, Shifted, fold};
use super::nan_sum::but_nan;
use super::precision::Precision;
use super::{OpRecord, Over, doubles, operate};
use crate::error::Result;
use crate::op::accumulator::Accumulator;
use crate::op::element::Number;
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;
use bytemuck::Pod;

/// The mean of those elements that are not NaN; NaN if all are, as NumPy's `nanmean` has it.
///
/// It is the [`Mean`](crate::Mean) of those elements, with its pivot and error, and needs what that needs.
///
/// NaN is told by integer operations on the bits. Of no elements there is no result:
/// [`Error::Empty`](crate::Error::Empty).
///
/// ```
/// use wgpu_reduce::{NanMean, Operation};
///
/// assert_eq!(NanMean.on_cpu(&[1.0, f32::NAN, 2.0])?, 1.5);
/// assert!(NanMean.on_cpu(&[f32::NAN])?.is_nan());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NanMean;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "nan_mean",
    several: None,
    of_none: false,
    over: |number| match number {
        Number::F32 => Some(of_floats(Accumulator::Shifted, 4)),
        Number::F64 => Some(of_floats(Accumulator::ShiftedF64, 8)),
        _ => None,
    },
    on_host: |number| match number {
        Number::F32 => Some(mean_of_numbers::<f32>),
        Number::F64 => Some(mean_of_numbers::<f64>),
        _ => None,
    },
};

const fn of_floats(accumulator: Accumulator, output_bytes: u64) -> Over {
    let fragment = fragment!("ops/nan_mean.wgsl");
    Over { lifting: Lifting::Numbers, output_bytes, ..Over::unfinished(fragment, accumulator) }
}

/// The mean of numbers is NaN of none.
fn mean_of_numbers<R: Real + Pod>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, Shifted::<R>::and, Shifted::mean)
}

operate!(NanMean of f32 => f32; |values| {
    let mean = to_f32(mean(&but_nan(values)));
    Ok(if mean.is_nan() { f32::NAN } else { mean })
}; within |values, accuracy| {
    bound_of_mean(&numbers(&but_nan(values)), Precision::SINGLE, accuracy)
});
operate!(NanMean of f64 => f64; |values| {
    let mean = doubles::mean(&but_nan(values));
    Ok(if mean.is_nan() { f64::NAN } else { mean })
}; within |values, accuracy| bound_of_mean(&but_nan(values), Precision::DOUBLE, accuracy));
