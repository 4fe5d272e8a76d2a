//! Sum.

use super::Accuracy;
use super::deviations::{bound_of_sum, numbers, sum, to_f32};
use super::doubles;
use super::host::sums;
use super::precision::Precision;
use super::{OpRecord, Over, operate};
use crate::op::accumulator::Accumulator;
use crate::op::element::Element;
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// The sum of all elements; `0` for none.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32` | `i64` | exact below 2^32 elements, modulo 2^64 beyond |
/// | `u32` | `u64` | exact below 2^32 elements, modulo 2^64 beyond |
/// | `i64` | `i128` | exact below 2^64 elements |
/// | `u64` | `u128` | exact below 2^64 elements |
/// | `f32`, `f64` | the same | rounded; [`Accuracy::error_bound`](crate::Accuracy::error_bound) says by how much |
///
/// Devices without `f64` ([`Caps::f64`](crate::Caps::f64)), browsers among them, add `f64` by integers: each addition is rounded as
/// IEEE 754 says, and takes some hundred instructions. GPUs that have it may add `f64` at a small part of the speed of `f32`.
///
/// A sum of floats has the same bits on every run on one adapter with one tuning, because the order of
/// additions depends on nothing but the plan. It depends on length, tuning and where in its buffer the
/// first element lies (modulo the alignment of bindings), and it is taken for granted that the driver
/// forms subgroups of the same size for the same pipeline. Between adapters it may differ. NaN and
/// infinity follow IEEE 754 as far as the device's arithmetic does (WGSL lets a compiler assume that
/// they do not occur); devices may flush subnormal numbers to zero; the sign of a zero result is not
/// specified.
///
/// A partial sum beyond the range of its type makes a sum of floats infinite or NaN, as NumPy's. [`SumExact`](crate::SumExact) and
/// [`Stats`](crate::Stats) lose none that is within it.
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
    several: None,
    of_none: true,
    over: |number| {
        Some(Over {
            lifting: Lifting::Summed,
            ..Over::unfinished(fragment!("ops/sum.wgsl"), Accumulator::sum(number))
        })
    },
    on_host: |number| Some(sums(number)),
};

// The sum of f32 in f64, rounded once: nearer to the real sum than any f32 accumulation.
operate!(Sum of f32 => f32; |values| Ok(to_f32(sum(values))); within sum_tolerance);
operate!(Sum of f64 => f64; |values| Ok(doubles::sum(values)); within sum_tolerance);
operate!(Sum of i32 => i64; |values| {
    Ok(values.iter().fold(0, |sum, &v| sum.wrapping_add(i64::from(v))))
});
operate!(Sum of u32 => u64; |values| {
    Ok(values.iter().fold(0, |sum, &v| sum.wrapping_add(u64::from(v))))
});

operate!(Sum of i64 => i128; |values| {
    Ok(values.iter().fold(0, |sum, &v| sum.wrapping_add(i128::from(v))))
});
operate!(Sum of u64 => u128; |values| {
    Ok(values.iter().fold(0, |sum, &v| sum.wrapping_add(u128::from(v))))
});

/// How far a device's sum of these elements may be off.
pub(super) fn sum_tolerance<T: Element + Into<f64>>(values: &[T], accuracy: &Accuracy) -> f64 {
    bound_of_sum(&numbers(values), Precision::of(T::KIND), accuracy)
}
