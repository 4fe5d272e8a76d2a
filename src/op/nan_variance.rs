//! Variance of what is not NaN.

use super::deviations::{bound_of_variance, numbers, to_f32};
use super::nan_std::{self, enough, in_tile_of_numbers, squares_of_f32, squares_of_f64};
use super::nan_sum::but_nan;
use super::order::Ordered;
use super::precision::Precision;
use super::variance::{deviate, variance, variance_of_f64};
use super::{Accuracy, OpRecord};
use crate::op::element::Element;

/// The variance of those elements that are not NaN, as NumPy's `nanvar` has it: the sum of their squared deviations from their mean,
/// divided by how many they are less [`ddof`](Self::ddof).
///
/// | elements | result |
/// |---|---|
/// | `f32`, `f16`, `bf16` | `f32` |
/// | `f64` | `f64` |
///
/// Equal numbers have the variance 0. The result is NaN if an element is infinite, and if there are no more numbers than
/// [`ddof`](Self::ddof), as there are of NaN alone. It is infinite where the variance is beyond the range of its type.
/// Of no elements there is no result: [`Error::Empty`](crate::Error::Empty).
///
/// It is made as [`NanStd`](crate::NanStd), but for the root: with Chan, Golub and LeVeque's moments of elements divided by a power of
/// two. Its bound is that of [`Variance`](crate::Variance), with the numbers as its elements; of `f64` roundings in
/// tiles count twice. No result that its type has is lost on the way. It has the same bits on every run on one adapter with one tuning. NaN is told by integer
/// operations on the bits. A device leaves what it leaves for [`NanStd`](crate::NanStd).
///
/// ```
/// use wgpu_reduce::{NanVariance, Operation};
///
/// assert_eq!(NanVariance::POPULATION.on_cpu(&[1.0_f32, f32::NAN, 5.0])?, 4.0);
/// assert_eq!(NanVariance::SAMPLE.on_cpu(&[1.0_f64, 2.0, f64::NAN, 3.0])?, 1.0);
/// assert!(NanVariance::SAMPLE.on_cpu(&[f32::NAN, 7.0])?.is_nan());
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NanVariance {
    /// Delta degrees of freedom, as in [`Variance::ddof`](crate::Variance::ddof).
    pub ddof: u32,
}

impl NanVariance {
    /// The variance of a whole population: divided by how many numbers there are.
    pub const POPULATION: Self = Self { ddof: 0 };

    /// Estimated from a sample: divided by one less.
    pub const SAMPLE: Self = Self { ddof: 1 };
}

pub(super) static RECORD: OpRecord = OpRecord {
    name: "nan_variance",
    several: None,
    of_none: false,
    over: |number| (nan_std::RECORD.over)(number),
    on_host: |number| (nan_std::RECORD.on_host)(number),
};

deviate!(NanVariance of f32 => f32, from [u32; 8] = finish_f32; of_singles, tolerance);
deviate!(NanVariance of f64 => f64, from [u32; 8] = finish_f64; of_doubles, tolerance);

fn finish_f32(raw: [u32; 8], _: u64, ddof: u32) -> f32 {
    squares_of_f32(raw, ddof).map_or(f32::NAN, |(squares, by)| to_f32(squares.variance(by)))
}

fn finish_f64(raw: [u32; 8], _: u64, ddof: u32) -> f64 {
    squares_of_f64(raw, ddof).map_or(f64::NAN, |(squares, by)| squares.variance(by))
}

fn of_singles(values: &[f32], ddof: u32) -> f32 {
    enough(values, ddof).map_or(f32::NAN, |numbers| variance(&numbers, ddof))
}

fn of_doubles(values: &[f64], ddof: u32) -> f64 {
    enough(values, ddof).map_or(f64::NAN, |numbers| variance_of_f64(&numbers, ddof))
}

fn tolerance<T>(values: &[T], accuracy: &Accuracy, ddof: u32) -> f64
where
    T: Element + Ordered + Into<f64>,
{
    let (numbers, precision) = (numbers(&but_nan(values)), Precision::of(T::KIND));
    bound_of_variance(&numbers, precision, accuracy, ddof, in_tile_of_numbers(precision, accuracy))
}
