//! Euclidean norm.

use super::Accuracy;
use super::deviations::to_f32;
use super::host::{Scaled, fold, sums_of_128_bits};
use super::precision::Precision;
use super::sum_of_squares::{SumOfSquares, sum_of_squares};
use super::words::word64;
use super::{OpRecord, Over, doubles, operate};
use crate::op::accumulator::Accumulator;
use crate::op::element::Number;
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// The square root of the sum of the elements' squares; 0 of none.
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32`, `u32` | `f64` | the sum is exact, and is rounded before and after the root |
/// | `f32`, `f64` | the same | rounded, by about half of what a sum of as many positive numbers is |
///
/// Nothing overflows or underflows on the way: squares are taken of elements divided by a power of two,
/// which follows the largest magnitude so far, as in LAPACK's `slassq`. If an element is NaN, the
/// result is NaN, else infinity if one is infinite; both are told by integer operations on the bits.
/// Devices may flush a result below the smallest normal number to zero.
///
/// All of this holds for `f64`. There is none of `i64` and `u64`, whose squares add up to more than 128 bits.
///
/// The norm of integers has the same bits on every device. For floats it has the same bits on every run on one adapter
/// with one tuning. What a device leaves of integers is the sum of squares, a `u128`. For `f64` it leaves four words: the
/// bits of the largest magnitude, then those of the sum of squares, of both the lower half first. The squares are those of
/// elements divided by the power of two that brings the largest magnitude to between 2 and 4.
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
    several: None,
    of_none: true,
    over: |number| {
        Some(match number {
            Number::F32 => Over {
                lifting: Lifting::Appended,
                output_bytes: 4,
                ..Over::unfinished(fragment!("ops/norm_l2_f32.wgsl"), Accumulator::Scaled)
            },
            Number::I32 | Number::U32 => super::sum_of_squares::of_integers(),
            Number::F64 => {
                Over::unfinished(fragment!("ops/norm_l2_f64.wgsl"), Accumulator::ScaledF64)
            }
            // The sum of their squares is more than any type of Rust holds.
            Number::I64 | Number::U64 => return None,
        })
    },
    on_host: |number| match number {
        Number::F32 => Some(|parts| fold(parts, Scaled::<f32>::and, Scaled::norm)),
        Number::F64 => Some(|parts| fold(parts, Scaled::<f64>::and, Scaled::bits)),
        Number::I32 | Number::U32 => Some(sums_of_128_bits),
        Number::I64 | Number::U64 => None,
    },
};

operate!(NormL2 of f32 => f32; |values| Ok(norm(values)); within |values, accuracy| {
    tolerance(norm(values).into(), Precision::SINGLE, accuracy)
});
operate!(NormL2 of f64 => f64, from [u32; 4] = |raw, _| Ok(root_of_scaled(raw)); |values| {
    Ok(doubles::norm_l2(values))
}; within |values, accuracy| tolerance(doubles::norm_l2(values), Precision::DOUBLE, accuracy));
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

/// The root leaves half of the effect of the roundings of squares and their sum. Vulkan lets it be off by six units of its last place by
/// itself, of which each is at most two roundings. Overflow is no surprise here, other than very near the edge.
fn tolerance(norm: f64, precision: Precision, accuracy: &Accuracy) -> f64 {
    let of_sum = accuracy.roundings.saturating_add(2).div_ceil(2);
    let roundings = of_sum.saturating_add(OF_ROOT);
    precision.rounded(precision.gamma(roundings) * norm, norm)
}

/// Roundings that a device's root may take.
const OF_ROOT: u64 = 12;

/// The norm, from the largest magnitude's bits and a sum of squares. Numbers were divided by the power of two that brings
/// the largest to between 2 and 4.
fn root_of_scaled([low, high, squares @ ..]: [u32; 4]) -> f64 {
    const INFINITY: u64 = f64::INFINITY.to_bits();
    let top = word64(low, high);
    if top >= INFINITY {
        return if top > INFINITY { f64::NAN } else { f64::INFINITY };
    }
    let [lower, upper] = squares;
    let root = f64::from_bits(word64(lower, upper)).sqrt();
    doubles::times_power_of_two(root, doubles::exponent_of(top) - 1)
}

#[cfg(test)]
mod tests {
    use super::{Accuracy, NormL2};
    use crate::op::Operation as _;
    use crate::op::element::ElementKind;

    #[test]
    fn the_bound_has_room_for_the_root_of_any_device() {
        let values = [0.2_f32; 7];
        for roundings in [0_u32, 3, 7] {
            let accuracy = Accuracy::new(ElementKind::F32, 7, roundings.into(), 1);
            let bound = NormL2.tolerance(&values, &accuracy);
            let norm = f64::from(NormL2.on_cpu(&values).unwrap());
            let six_units = 6.0 * f64::from(f32::EPSILON) / 2.0;
            let of_squares = norm * f64::from(f32::EPSILON) / 4.0 * f64::from(roundings + 1);
            assert!((0.5..1.0).contains(&norm) && bound >= six_units + of_squares, "{bound}");
        }
    }
}
