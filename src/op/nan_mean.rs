//! Mean of what is not NaN.

use super::deviations::{mean, mean_tolerance, to_f32};
use super::nan_sum::but_nan;
use super::{OpRecord, Over, operate};
use crate::accumulator::Accumulator;
use crate::element::Number;
use crate::fragment::fragment;
use crate::lifting::Lifting;

/// The mean of those elements that are not NaN; NaN if all are, as NumPy's `nanmean` has it.
///
/// The sum of `f32` is one of distances from a pivot, which is an element: data far from zero, such as
/// 1 000 000 ± 0.1, lose nothing by that. With k roundings
/// ([`Plan::roundings`](crate::Plan::roundings)), u = 2^-24 and elements that are at most r apart, the
/// result is off by at most (4k + 12)·u·r, to first order, and a rounding of its own. From magnitudes
/// of 2^64 on the largest magnitude stands for r. The result is the same on every run on one adapter
/// with one tuning. Sums of the distances that are beyond `f32` make it infinite or NaN.
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
    of_none: false,
    over: |number| {
        (number == Number::F32).then_some(Over {
            fragment: fragment!("ops/nan_mean.wgsl"),
            accumulator: Accumulator::Shifted,
            lifting: Lifting::Appended,
            output_bytes: 4,
        })
    },
};

operate!(NanMean of f32 => f32; |values| {
    let mean = to_f32(mean(&but_nan(values)));
    Ok(if mean.is_nan() { f32::NAN } else { mean })
}; within |values, plan| mean_tolerance(&but_nan(values), plan));
