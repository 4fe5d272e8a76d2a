//! Sum of squares.

use super::deviations::{TINY, gamma, rounded, to_f32, to_f64, total};
use super::host::{sums, sums_of_128_bits};
use super::precision::Precision;
use super::{OpRecord, Over, doubles, operate};
use crate::op::accumulator::Accumulator;
use crate::op::element::Number;
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// The sum of the elements' squares; 0 of none.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32`, `u32` | `u128` | exact |
/// | `f32`, `f64` | the same | rounded, with one rounding more for each element than a sum |
///
/// The sum of integers has the same bits on every device. For floats it has the same bits on every run on one adapter
/// with one tuning, as [`Sum`](crate::Sum) has. Squares of floats may overflow to infinity and underflow to
/// 0; [`NormL2`](crate::NormL2) avoids both. NaN and infinity in the input follow IEEE 754 as far as
/// the device's arithmetic does.
///
/// There is none of `i64` and `u64`, whose squares add up to more than 128 bits.
///
/// ```
/// use wgpu_reduce::{Operation, SumOfSquares};
///
/// assert_eq!(SumOfSquares.on_cpu(&[i32::MIN, 1])?, (1_u128 << 62) + 1);
/// assert_eq!(SumOfSquares.on_cpu(&[3.0_f32, 4.0])?, 25.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SumOfSquares;

pub(super) static RECORD: OpRecord = OpRecord {
    name: "sum_of_squares",
    several: None,
    of_none: true,
    over: |number| {
        Some(match number {
            Number::F32 | Number::F64 => {
                let fragment = fragment!("ops/sum_of_squares_float.wgsl");
                Over::unfinished(fragment, Accumulator::sum(number))
            }
            Number::I32 | Number::U32 => of_integers(),
            // Their squares have 128 bits, and the sum more than any type of Rust.
            Number::I64 | Number::U64 => return None,
        })
    },
    on_host: |number| match number {
        Number::F32 | Number::F64 => Some(sums(number)),
        Number::I32 | Number::U32 => Some(sums_of_128_bits),
        Number::I64 | Number::U64 => None,
    },
};

operate!(SumOfSquares of f32 => f32; |values| Ok(to_f32(sum_of_squares(values))); within |values, accuracy| {
    let sum = sum_of_squares(values);
    let roundings = accuracy.roundings.saturating_add(2);
    rounded(gamma(roundings) * sum + to_f64(values.len() as u64) * 2.0 * TINY, sum)
});
operate!(SumOfSquares of f64 => f64; |values| Ok(doubles::sum_of_squares(values)); within |values, accuracy| {
    let Precision { tiny, .. } = Precision::DOUBLE;
    let sum = doubles::sum_of_squares(values);
    let flushed = to_f64(values.len() as u64) * 2.0 * tiny;
    if sum.is_infinite() && values.iter().all(|value| value.is_finite()) {
        return f64::INFINITY;
    }
    let roundings = accuracy.roundings.saturating_add(2);
    Precision::DOUBLE.rounded(Precision::DOUBLE.gamma(roundings) * sum + flushed, sum)
});
operate!(SumOfSquares of i32 => u128; |values| {
    Ok(values.iter().map(|v| u128::from(v.unsigned_abs()).pow(2)).sum())
});
operate!(SumOfSquares of u32 => u128; |values| {
    Ok(values.iter().map(|&v| u128::from(v).pow(2)).sum())
});

pub(super) fn sum_of_squares(values: &[f32]) -> f64 {
    total(values.iter().map(|&value| f64::from(value).powi(2)))
}

/// The sum of integers' squares, all bits of it.
pub(super) const fn of_integers() -> Over {
    Over {
        lifting: Lifting::Four,
        ..Over::unfinished(fragment!("ops/sum_of_squares_integer.wgsl"), Accumulator::U128)
    }
}
