//! Standard deviation.

use super::deviations::{
    bound_of_deviation, divisor, in_tile, numbers, squared_deviations, to_f32,
};
use super::host::{ScaledMoments, fold};
use super::precision::Precision;
use super::variance::{self, deviate};
use super::words::word64;
use super::{Accuracy, OpRecord, Operation, Over, Variance, doubles};
use crate::op::accumulator::Accumulator;
use crate::op::element::{Element, Number};
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// The standard deviation: the root of the [`Variance`] with the same [`ddof`](Self::ddof).
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32`, `u32` | `f64` | the root of the variance, with one rounding more; as far as the sum fits 64 bits |
/// | `f32` | `f32` | rounded |
/// | `f64` | `f64` | rounded |
///
/// The deviation of floats is made as their variance, of elements divided by a power of two, which follows the largest
/// magnitude so far. No square overflows or underflows, so there is a result wherever it is a number of the type: of
/// [`f32::MAX`] and −[`f32::MAX`] it is [`f32::MAX`]. The host takes the root, so no device's root counts. With s the true sum of squared
/// deviations, e the bound of a device's, which [`Variance`] has, and n elements, the result is off by at most the smaller one of
/// e / √(s·(n − ddof)) and √(e / (n − ddof)). A device that takes subnormal numbers for 0 adds
/// 2^-125·√(n / (n − ddof)), of `f64` 2^-1021. It has the same bits on every run on one adapter with one tuning.
///
/// Equal numbers have the standard deviation 0. It is NaN if an element is NaN or infinite, which their bits tell. Where there are no more
/// elements than `ddof`, it is NaN of equal elements, else infinity. Of no elements there is no result:
/// [`Error::Empty`](crate::Error::Empty).
///
/// The deviation of integers is right where their variance is. There is none of `i64` and `u64`, whose squares add up to more than 128 bits.
///
/// A device leaves of integers what it leaves for [`Variance`]. Of floats it leaves four words: the exponent field of the largest
/// magnitude, which is 1 of subnormal numbers; then the sum of squared deviations of elements divided by the power of two that brings
/// that magnitude to between 2 and 4, of `f64` the lower word first; then zeros.
///
/// ```
/// use wgpu_reduce::{Operation, Std};
///
/// assert_eq!(Std::POPULATION.on_cpu(&[2_i32, 4, 4, 4, 5, 5, 7, 9])?, 2.0);
/// assert_eq!(Std::SAMPLE.on_cpu(&[1.0_f32, 2.0, 3.0])?, 1.0);
/// assert_eq!(Std::POPULATION.on_cpu(&[f32::MAX, -f32::MAX])?, f32::MAX);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Std {
    /// Delta degrees of freedom, as in [`Variance::ddof`].
    pub ddof: u32,
}

impl Std {
    /// The deviation of a whole population.
    pub const POPULATION: Self = Self { ddof: 0 };

    /// Estimated from a sample.
    pub const SAMPLE: Self = Self { ddof: 1 };

    const fn variance(self) -> Variance {
        Variance { ddof: self.ddof }
    }
}

pub(super) static RECORD: OpRecord = OpRecord {
    name: "std",
    several: None,
    of_none: false,
    over: |number| match number {
        Number::F32 => Some(of_floats(Accumulator::ScaledMoments)),
        Number::F64 => Some(of_floats(Accumulator::ScaledMomentsF64)),
        _ => (variance::RECORD.over)(number),
    },
    on_host: |number| match number {
        Number::F32 => Some(|parts| fold(parts, ScaledMoments::<f32>::and, ScaledMoments::spread)),
        Number::F64 => Some(|parts| fold(parts, ScaledMoments::<f64>::and, ScaledMoments::spread)),
        _ => (variance::RECORD.on_host)(number),
    },
};

const fn of_floats(accumulator: Accumulator) -> Over {
    Over {
        lifting: Lifting::Appended,
        output_bytes: 16,
        ..Over::unfinished(fragment!("ops/std.wgsl"), accumulator)
    }
}

deviate!(Std of f32 => f32, from [u32; 4] = finish_f32; deviation, tolerance);
deviate!(Std of f64 => f64, from [u32; 4] = finish_f64; deviation_of_f64, tolerance);
deviate!(Std of i32 => f64, from [u32; 8] = root_of_variance::<i32>; deviation_of_integers);
deviate!(Std of u32 => f64, from [u32; 8] = root_of_variance::<u32>; deviation_of_integers);

fn finish_f32([exponent, squares, ..]: [u32; 4], len: u64, ddof: u32) -> f32 {
    to_f32(ScaledSquares::of_f32(exponent, squares).deviation(divisor(len, ddof)))
}

fn finish_f64([exponent, low, high, _]: [u32; 4], len: u64, ddof: u32) -> f64 {
    ScaledSquares::of_f64(exponent, word64(low, high)).deviation(divisor(len, ddof))
}

/// The sum of squared deviations of numbers that are divided by a power of two.
pub(super) struct ScaledSquares {
    /// NaN where a number is infinite.
    squares: f64,
    exponent: i32,
}

impl ScaledSquares {
    pub(super) fn of_f32(exponent: u32, squares: u32) -> Self {
        Self::new([exponent, 0xff, 128], f32::from_bits(squares).into())
    }

    pub(super) const fn of_f64(exponent: u32, squares: u64) -> Self {
        Self::new([exponent, 0x7ff, 1024], f64::from_bits(squares))
    }

    /// The exponents are those of the largest magnitude, of infinity and of what brings magnitudes to between 2 and 4.
    const fn new([exponent, infinity, near]: [u32; 3], squares: f64) -> Self {
        let squares = if exponent >= infinity { f64::NAN } else { squares };
        Self { squares, exponent: exponent.wrapping_sub(near).cast_signed() }
    }

    pub(super) fn deviation(self, divisor: f64) -> f64 {
        doubles::times_power_of_two((self.squares / divisor).sqrt(), self.exponent)
    }

    pub(super) fn variance(self, divisor: f64) -> f64 {
        doubles::times_power_of_two(self.squares / divisor, self.exponent.wrapping_mul(2))
    }
}

fn root_of_variance<T: Element>(raw: [u32; 8], len: u64, ddof: u32) -> f64
where
    Variance: Operation<T, Raw = [u32; 8], Output = f64>,
{
    // There is one of any words.
    Operation::<T>::finish(&Std { ddof }.variance(), raw, len).map_or(f64::NAN, f64::sqrt)
}

fn deviation_of_integers<T: Element>(values: &[T], ddof: u32) -> f64
where
    Variance: Operation<T, Output = f64>,
{
    Std { ddof }.variance().on_cpu(values).map_or(f64::NAN, f64::sqrt)
}

pub(super) fn deviation(values: &[f32], ddof: u32) -> f32 {
    to_f32((squared_deviations(values) / divisor(values.len() as u64, ddof)).sqrt())
}

pub(super) fn deviation_of_f64(values: &[f64], ddof: u32) -> f64 {
    doubles::deviation(values, divisor(values.len() as u64, ddof))
}

fn tolerance<T: Element + Into<f64>>(values: &[T], accuracy: &Accuracy, ddof: u32) -> f64 {
    let (numbers, precision) = (numbers(values), Precision::of(T::KIND));
    // Of elements that are divided none is at the end of the range.
    let in_tile = in_tile(&RECORD, &[], precision, accuracy);
    bound_of_deviation(&numbers, precision, accuracy, ddof, in_tile)
}
