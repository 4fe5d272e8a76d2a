//! Standard deviation of what is not NaN.

use super::deviations::{bound_of_deviation, divisor, in_tile, numbers, to_f32};
use super::host::{Real, ScaledMoments, fold};
use super::nan_sum::but_nan;
use super::order::Ordered;
use super::precision::Precision;
use super::standard_deviation::{ScaledSquares, deviation, deviation_of_f64};
use super::variance::deviate;
use super::words::word64;
use super::{Accuracy, OpRecord, Over};
use crate::error::Result;
use crate::op::accumulator::Accumulator;
use crate::op::element::{Element, Number};
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;
use bytemuck::Pod;

/// The standard deviation of those elements that are not NaN: the root of their [`NanVariance`](crate::NanVariance), as
/// NumPy's `nanstd` has it.
///
/// | elements | result |
/// |---|---|
/// | `f32`, `f16`, `bf16` | `f32` |
/// | `f64` | `f64` |
///
/// Equal numbers have the standard deviation 0. The result is NaN if an element is infinite, and if there are no more numbers than
/// [`ddof`](Self::ddof), as there are of NaN alone. Of no elements there is no result: [`Error::Empty`](crate::Error::Empty).
///
/// It is computed as [`Std`](crate::Std) of the numbers, with Chan, Golub and LeVeque's moments of elements divided by a power of two, and
/// the host takes the root. The bound is that of [`Std`](crate::Std), with the numbers as its elements; of `f64` roundings in tiles count
/// twice.
/// No result that its type has is lost on the way. It has the same bits on every run on one adapter with one tuning. NaN is told by integer
/// operations on the bits.
///
/// A device leaves eight words: the exponent field of the largest magnitude; the lower and upper half of how many numbers there are; the
/// sum of squared deviations that [`Std`](crate::Std) describes, of `f64` the lower word first; then zeros.
///
/// ```
/// use wgpu_reduce::{NanStd, Operation};
///
/// assert_eq!(NanStd::POPULATION.on_cpu(&[3.0_f32, f32::NAN, 5.0])?, 1.0);
/// assert_eq!(NanStd::SAMPLE.on_cpu(&[1.0_f64, 2.0, f64::NAN, 3.0])?, 1.0);
/// assert!(NanStd::POPULATION.on_cpu(&[f32::NAN])?.is_nan());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NanStd {
    /// Delta degrees of freedom, as in [`Variance::ddof`](crate::Variance::ddof).
    pub ddof: u32,
}

impl NanStd {
    /// The deviation of a whole population.
    pub const POPULATION: Self = Self { ddof: 0 };

    /// Estimated from a sample.
    pub const SAMPLE: Self = Self { ddof: 1 };
}

pub(super) static RECORD: OpRecord = OpRecord {
    name: "nan_std",
    several: None,
    of_none: false,
    over: |number| match number {
        Number::F32 => Some(of_floats(Accumulator::ScaledMoments)),
        Number::F64 => Some(of_floats(Accumulator::ScaledMomentsF64)),
        _ => None,
    },
    on_host: |number| match number {
        Number::F32 => Some(combined::<f32>),
        Number::F64 => Some(combined::<f64>),
        _ => None,
    },
};

const fn of_floats(accumulator: Accumulator) -> Over {
    let fragment = fragment!("ops/nan_std.wgsl");
    Over { lifting: Lifting::Numbers, output_bytes: 32, ..Over::unfinished(fragment, accumulator) }
}

fn combined<R: Real + Pod>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, ScaledMoments::<R>::and, ScaledMoments::counted_spread)
}

deviate!(NanStd of f32 => f32, from [u32; 8] = finish_f32; of_singles, tolerance);
deviate!(NanStd of f64 => f64, from [u32; 8] = finish_f64; of_doubles, tolerance);

fn finish_f32(raw: [u32; 8], _: u64, ddof: u32) -> f32 {
    squares_of_f32(raw, ddof).map_or(f32::NAN, |(squares, by)| to_f32(squares.deviation(by)))
}

fn finish_f64(raw: [u32; 8], _: u64, ddof: u32) -> f64 {
    squares_of_f64(raw, ddof).map_or(f64::NAN, |(squares, by)| squares.deviation(by))
}

/// What a device leaves of `f32`, and by what it is divided; `None` where there are no more numbers than `ddof`.
pub(super) fn squares_of_f32(
    [exponent, low, high, squares, ..]: [u32; 8],
    ddof: u32,
) -> Option<(ScaledSquares, f64)> {
    let divisor = divisor(word64(low, high), ddof);
    (divisor > 0.0).then(|| (ScaledSquares::of_f32(exponent, squares), divisor))
}

/// As [`squares_of_f32`], of `f64`.
pub(super) fn squares_of_f64(
    [exponent, low, high, squares, squares_high, ..]: [u32; 8],
    ddof: u32,
) -> Option<(ScaledSquares, f64)> {
    let divisor = divisor(word64(low, high), ddof);
    let squares = word64(squares, squares_high);
    (divisor > 0.0).then(|| (ScaledSquares::of_f64(exponent, squares), divisor))
}

/// The elements that count, where there are more than `ddof`.
pub(super) fn enough<T: Ordered>(values: &[T], ddof: u32) -> Option<Vec<T>> {
    let numbers = but_nan(values);
    (numbers.len() as u64 > ddof.into()).then_some(numbers)
}

fn of_singles(values: &[f32], ddof: u32) -> f32 {
    enough(values, ddof).map_or(f32::NAN, |numbers| deviation(&numbers, ddof))
}

fn of_doubles(values: &[f64], ddof: u32) -> f64 {
    enough(values, ddof).map_or(f64::NAN, |numbers| deviation_of_f64(&numbers, ddof))
}

fn tolerance<T>(values: &[T], accuracy: &Accuracy, ddof: u32) -> f64
where
    T: Element + Ordered + Into<f64>,
{
    let (numbers, precision) = (numbers(&but_nan(values)), Precision::of(T::KIND));
    bound_of_deviation(&numbers, precision, accuracy, ddof, in_tile_of_numbers(precision, accuracy))
}

/// Roundings of squares of `f64` that are added up in a tile. Where NaN are left out, a first quad may have one number, and a first tile, too.
/// With l loads, squares of distances from that number add up to 2·l + 1 times the squared deviations at most, not to l + 3.
pub(super) fn in_tile_of_numbers(precision: Precision, accuracy: &Accuracy) -> u64 {
    in_tile(&RECORD, &[], precision, accuracy).saturating_mul(2)
}
