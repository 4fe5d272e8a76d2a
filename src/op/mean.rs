//! Arithmetic mean.

use super::deviations::{bound_of_mean, mean, numbers, to_f32, to_f64};
use super::host::{Shifted, fold, sums};
use super::precision::Precision;
use super::{OpRecord, Over, Sum, doubles, operate};
use crate::op::accumulator::Accumulator;
use crate::op::element::Number;
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// The mean of all elements.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32`, `u32` | `f64` | the exact sum, divided: two roundings; while the sum is one of `i64` or `u64`, so always below 2^32 elements |
/// | `i64`, `u64` | `f64` | the same; below 2^63 elements |
/// | `f32` | `f32` | rounded |
/// | `f64` | `f64` | rounded |
///
/// The sum of floats is one of distances from a pivot, which is an element: data far from zero, such as
/// 1 000 000 ± 0.1, lose nothing by that. With k roundings
/// ([`Accuracy::roundings`](crate::Accuracy::roundings)), u = 2^-24 (of `f64` 2^-53) and elements that are at most r apart, the
/// result is off by at most (4k + 12)·u·r, to first order, and a rounding of its own. The mean of equal numbers is that number, or 0 of
/// subnormal ones on some devices. It is lost to no overflow on the way: the mean of 10^38s is 10^38. The result is the same on every run on
/// one adapter with one tuning.
///
/// NaN and infinity in the input follow IEEE 754 as far as the device's arithmetic does. Of no elements
/// there is no result: [`Error::Empty`](crate::Error::Empty). What a device leaves of integers is their [`Sum`](crate::Sum).
///
/// ```
/// use wgpu_reduce::{Mean, Operation};
///
/// assert_eq!(Mean.on_cpu(&[i32::MAX, i32::MAX])?, 2_147_483_647.0);
/// assert_eq!(Mean.on_cpu(&[1.0_f32, 2.0])?, 1.5);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "mean",
    several: None,
    of_none: false,
    over: |number| {
        Some(match number {
            Number::F32 => of_floats(Accumulator::Shifted, 4),
            Number::F64 => of_floats(Accumulator::ShiftedF64, 8),
            _ => Over {
                lifting: Lifting::Summed,
                ..Over::unfinished(fragment!("ops/sum.wgsl"), Accumulator::sum(number))
            },
        })
    },
    on_host: |number| match number {
        Number::F32 => Some(|parts| fold(parts, Shifted::<f32>::and, Shifted::mean)),
        Number::F64 => Some(|parts| fold(parts, Shifted::<f64>::and, Shifted::mean)),
        _ => Some(sums(number)),
    },
};

operate!(Mean of f32 => f32; |values| Ok(to_f32(mean(values))); within |values, accuracy| {
    bound_of_mean(&numbers(values), Precision::SINGLE, accuracy)
});
operate!(Mean of i32 => f64, from i64 = |sum, len| Ok(mean_of_sum(sum.into(), len)); |values| {
    Ok(mean_of_sum(Sum.on_cpu(values)?.into(), values.len() as u64))
});
operate!(Mean of u32 => f64, from u64 = |sum, len| Ok(mean_of_sum(sum.into(), len)); |values| {
    Ok(mean_of_sum(Sum.on_cpu(values)?.into(), values.len() as u64))
});
operate!(Mean of i64 => f64, from i128 = |sum, len| Ok(mean_of_sum(sum, len)); |values| {
    Ok(mean_of_sum(Sum.on_cpu(values)?, values.len() as u64))
});
operate!(Mean of u64 => f64, from u128 = |sum, len| Ok(mean_of_sum(sum.cast_signed(), len)); |values| {
    Ok(mean_of_sum(Sum.on_cpu(values)?.cast_signed(), values.len() as u64))
});
operate!(Mean of f64 => f64; |values| Ok(doubles::mean(values)); within |values, accuracy| {
    bound_of_mean(values, Precision::DOUBLE, accuracy)
});

const fn of_floats(accumulator: Accumulator, output_bytes: u64) -> Over {
    let fragment = fragment!("ops/mean.wgsl");
    Over { lifting: Lifting::Appended, output_bytes, ..Over::unfinished(fragment, accumulator) }
}

#[expect(clippy::cast_precision_loss, reason = "the rounding that is told of")]
pub(super) const fn mean_of_sum(sum: i128, len: u64) -> f64 {
    sum as f64 / to_f64(len)
}
