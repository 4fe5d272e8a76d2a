//! Sum of magnitudes.

use super::Accuracy;
use super::deviations::{numbers, to_f32, total};
use super::host::sums;
use super::sum::sum_tolerance;
use super::{OpRecord, Over, doubles, operate};
use crate::op::accumulator::Accumulator;
use crate::op::element::Element;
use crate::shader::fragment::fragment;

/// The sum of the elements' magnitudes; 0 of none.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32`, `u32` | `u64` | exact below 2^32 elements, modulo 2^64 beyond |
/// | `i64`, `u64` | `u128` | exact below 2^64 elements |
/// | `f32`, `f64` | the same | rounded; [`Accuracy::error_bound`](crate::Accuracy::error_bound) says by how much |
///
/// The norm of integers has the same bits on every device. For floats it has the same bits on every run on one adapter
/// with one tuning, as [`Sum`](crate::Sum) has. It overflows only where the
/// result is beyond their type. NaN and
/// infinity in the input follow IEEE 754 as far as the device's arithmetic does.
///
/// ```
/// use wgpu_reduce::{NormL1, Operation};
///
/// assert_eq!(NormL1.on_cpu(&[i32::MIN, 1])?, 2_147_483_649);
/// assert_eq!(NormL1.on_cpu(&[-0.5_f32, 2.0])?, 2.5);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NormL1;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "norm_l1",
    several: None,
    of_none: true,
    over: |number| {
        let fragment = if number.is_float() {
            fragment!("ops/norm_l1_float.wgsl")
        } else {
            fragment!("ops/norm_l1_integer.wgsl")
        };
        Some(Over::unfinished(fragment, Accumulator::sum(number)))
    },
    on_host: |number| Some(sums(number)),
};

operate!(NormL1 of f32 => f32; |values| {
    Ok(to_f32(total(values.iter().map(|&value| f64::from(value).abs()))))
}; within tolerance);
operate!(NormL1 of f64 => f64; |values| Ok(doubles::norm_l1(values)); within tolerance);
operate!(NormL1 of i32 => u64; |values| {
    Ok(values.iter().fold(0, |sum: u64, v| sum.wrapping_add(v.unsigned_abs().into())))
});
operate!(NormL1 of u32 => u64; |values| {
    Ok(values.iter().fold(0, |sum: u64, &v| sum.wrapping_add(v.into())))
});
operate!(NormL1 of i64 => u128; |values| {
    Ok(values.iter().fold(0, |sum: u128, v| sum.wrapping_add(v.unsigned_abs().into())))
});
operate!(NormL1 of u64 => u128; |values| {
    Ok(values.iter().fold(0, |sum: u128, &v| sum.wrapping_add(v.into())))
});

/// How far a norm may be off: as a sum, but no infinity meets one of the other sign.
fn tolerance<T: Element + Into<f64>>(values: &[T], accuracy: &Accuracy) -> f64 {
    let is_finite = numbers(values).iter().all(|number| number.is_finite());
    if is_finite { sum_tolerance(values, accuracy) } else { 0.0 }
}
