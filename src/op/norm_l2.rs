//! Euclidean norm.

use super::deviations::{gamma, rounded, to_f32};
use super::sum_of_squares::{SumOfSquares, sum_of_squares};
use super::{OpRecord, Over, operate};
use crate::accumulator::Accumulator;
use crate::element::Number;
use crate::fragment::fragment;
use crate::lifting::Lifting;

/// The square root of the sum of the elements' squares; 0 of none.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32`, `u32` | `f64` | the sum is exact, and is rounded before and after the root |
/// | `f32` | `f32` | rounded, by about half of what a sum of as many positive numbers is |
///
/// Nothing overflows or underflows on the way: squares are taken of elements divided by a power of two,
/// which follows the largest magnitude so far, as in LAPACK's `slassq`. If an element is NaN, the
/// result is NaN, else infinity if one is infinite; both are told by integer operations on the bits.
/// Devices may flush a result below the smallest normal `f32` to zero.
///
/// There is none of elements of 64 bits.
///
/// That of integers has the same bits on every device; that of `f32` on every run on one adapter with
/// one tuning. What a device leaves of integers is the sum of squares, a `u128`.
///
/// ```
/// use wgpu_reduce::{NormL2, Operation};
///
/// assert_eq!(NormL2.on_cpu(&[f32::MAX, 0.0])?, f32::MAX);
/// assert_eq!(NormL2.on_cpu(&[-3_i32, 4])?, 5.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct NormL2;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "norm_l2",
    of_none: true,
    over: |number| {
        Some(match number {
            Number::F32 => Over {
                fragment: fragment!("ops/norm_l2_f32.wgsl"),
                accumulator: Accumulator::Scaled,
                lifting: Lifting::Appended,
                output_bytes: 4,
            },
            Number::I32 | Number::U32 => super::sum_of_squares::of_integers(),
            Number::I64 | Number::U64 | Number::F64 => return None,
        })
    },
};

operate!(NormL2 of f32 => f32; |values| Ok(norm(values)); within |values, plan| {
    let norm = f64::from(norm(values));
    // Half of the roundings' effect is left by the root, which takes a few of its own.
    let bound = gamma(plan.roundings / 2 + 8) * norm;
    // Overflow is no surprise here, other than very near the edge.
    if norm.is_finite() { rounded(bound, norm) } else { 0.0 }
});
operate!(NormL2 of i32 => f64, from u128 = |raw, _| Ok(root(raw)); |values| {
    Ok(root(SumOfSquares.on_cpu(values)?))
});
operate!(NormL2 of u32 => f64, from u128 = |raw, _| Ok(root(raw)); |values| {
    Ok(root(SumOfSquares.on_cpu(values)?))
});

fn norm(values: &[f32]) -> f32 {
    let has_nan = values.iter().any(|value| value.is_nan());
    if has_nan { f32::NAN } else { to_f32(sum_of_squares(values).sqrt()) }
}

#[expect(clippy::cast_precision_loss, reason = "the rounding before the root")]
fn root(squares: u128) -> f64 {
    (squares as f64).sqrt()
}
