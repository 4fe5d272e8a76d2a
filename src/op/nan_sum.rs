//! Sum of what is not NaN.

use super::deviations::{sum, to_f32};
use super::host::sums;
use super::order::Ordered;
use super::sum::sum_tolerance;
use super::{OpRecord, Over, doubles, operate};
use crate::op::accumulator::Accumulator;
use crate::shader::fragment::fragment;

/// The sum of those elements that are not NaN; 0 of none, as NumPy's `nansum` has it.
///
/// NaN is told by integer operations on the bits. In all else it is [`Sum`](crate::Sum) of floats:
/// rounded, within [`Accuracy::error_bound`](crate::Accuracy::error_bound), with the same bits on every run on
/// one adapter. Infinities of both signs still make NaN.
///
/// ```
/// use wgpu_reduce::{NanSum, Operation};
///
/// assert_eq!(NanSum.on_cpu(&[1.5, f32::NAN, 2.0])?, 3.5);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NanSum;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "nan_sum",
    several: None,
    of_none: true,
    over: |number| {
        let over = Over::unfinished(fragment!("ops/nan_sum.wgsl"), Accumulator::sum(number));
        number.is_float().then_some(over)
    },
    on_host: |number| number.is_float().then_some(sums(number)),
};

operate!(NanSum of f32 => f32; |values| Ok(to_f32(sum(&but_nan(values)))); within |values, accuracy| {
    sum_tolerance(&but_nan(values), accuracy)
});
operate!(NanSum of f64 => f64; |values| Ok(doubles::sum(&but_nan(values))); within |values, accuracy| {
    sum_tolerance(&but_nan(values), accuracy)
});

/// The elements that count.
pub(super) fn but_nan<T: Ordered>(values: &[T]) -> Vec<T> {
    values.iter().copied().filter(|value| value.nan().is_none()).collect()
}
