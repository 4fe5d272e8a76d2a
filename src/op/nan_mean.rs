//! Mean of what is not NaN.

use super::deviations::{bound_of_mean, mean, numbers, to_f32, to_f64};
use super::host::{Counted, Shifted, fold};
use super::nan_sum::but_nan;
use super::precision::Precision;
use super::words::word64;
use super::{OpRecord, Over, doubles, operate};
use crate::op::accumulator::Accumulator;
use crate::op::element::Number;
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// The mean of those elements that are not NaN; NaN if all are, as NumPy's `nanmean` has it.
///
/// For `f32` it is the [`Mean`](crate::Mean) of those elements, with its pivot, error and overflow. For `f64` it is their
/// [`NanSum`](crate::NanSum), divided by how many they are, on devices that have `f64`. What a device leaves of `f64` is
/// that count's lower and upper half, and the sum's bits, the lower half first.
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
    over: |number| match number {
        Number::F32 => Some(Over {
            fragment: fragment!("ops/nan_mean.wgsl"),
            accumulator: Accumulator::Shifted,
            lifting: Lifting::Appended,
            output_bytes: 4,
        }),
        Number::F64 => {
            Some(Over::unfinished(fragment!("ops/nan_mean_f64.wgsl"), Accumulator::Counted))
        }
        _ => None,
    },
    on_host: |number| match number {
        Number::F32 => Some(|parts| fold(parts, Shifted::and, mean_of_numbers)),
        Number::F64 => Some(|parts| fold(parts, Counted::and, Counted::bits)),
        _ => None,
    },
};

/// NaN of none.
fn mean_of_numbers(total: Shifted) -> f32 {
    if total.count == 0 { f32::NAN } else { total.mean() }
}

operate!(NanMean of f32 => f32; |values| {
    let mean = to_f32(mean(&but_nan(values)));
    Ok(if mean.is_nan() { f32::NAN } else { mean })
}; within |values, accuracy| {
    bound_of_mean(&numbers(&but_nan(values)), Precision::SINGLE, accuracy)
});
operate!(NanMean of f64 => f64, from [u32; 4] = |[low, high, sum @ ..], _| {
    let [lower, upper] = sum;
    Ok(mean_of(f64::from_bits(word64(lower, upper)), word64(low, high)))
}; |values| {
    let numbers = but_nan(values);
    Ok(mean_of(doubles::sum(numbers.iter().copied()), numbers.len() as u64))
}; within |values, accuracy| doubles::mean_tolerance(&but_nan(values), accuracy));

/// NaN of none.
fn mean_of(sum: f64, count: u64) -> f64 {
    if count == 0 { f64::NAN } else { sum / to_f64(count) }
}
