//! Variance.

use super::Accuracy;
use super::deviations::{
    bound_of_variance, divisor, in_tile, numbers, squared_deviations, to_f32, variance_of_sums,
};
use super::host::{Figures, Moments, Real as _, Spread, filled, fold, is_far};
use super::precision::Precision;
use super::words::{word64, word128};
use super::{OpRecord, Over, doubles};
use crate::error::Result;
use crate::op::accumulator::Accumulator;
use crate::op::element::{Element, Number};
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// The mean of squared deviations from the mean: the sum of squares divided by the number of elements
/// less [`ddof`](Self::ddof).
///
/// | elements | result | meaning |
/// |---|---|---|
/// | `i32`, `u32` | `f64` | from exact sums, with three roundings; as far as the sum fits 64 bits |
/// | `f32` | `f32` | rounded |
/// | `f64` | `f64` | rounded |
///
/// The variance of floats is made of counts, means and sums of squared deviations, combined pairwise,
/// with means counted from a pivot that is an element or a mean of some (Chan, Golub and LeVeque, *Updating formulae and
/// a pairwise algorithm for computing sample variances*, 1979). Data far from zero, such as 1 000 000 ±
/// 0.1, lose nothing by that. With k roundings ([`Accuracy::roundings`](crate::Accuracy::roundings)), u =
/// 2^-24 (of `f64` 2^-53), a true variance v and elements that are at most r apart, it is off by at most (8k + 8)·u·v +
/// 2ε·√(k·v) + k·ε², where ε = (4k + 12)·u·r, to first order. It has the same bits on every run on one adapter with one tuning.
///
/// Squares of `f64` are added up in tiles before there is a mean. The first term has (6·*l* + 12)·(*l* + 3) roundings more for that, *l*
/// being the plan's loads in flight, and four times as many where an element is beyond an eighth of the range.
///
/// Equal numbers have the variance 0. It is NaN if an element is NaN or infinite, infinite where it is beyond the range of its type, and lost
/// to no overflow on the way. Where there are no more elements than `ddof`, it is what dividing by
/// zero gives: NaN of equal elements, else infinity. Of no elements there is no result:
/// [`Error::Empty`](crate::Error::Empty).
///
/// The variance of integers is right while their sum is one of `i64`, or of `u64` where the type has no sign. This holds for
/// fewer than 2^32 elements of 32 bits always, of 16 bits below 2^48, of 8 bits below 2^56. Where the sum is beyond that, so is
/// the variance. The squares, at most 2^62 each, always fit 128 bits.
///
/// There is none of `i64` and `u64`, whose squares add up to more than 128 bits.
///
/// What a device leaves are eight words. Of `f32`: the count's lower and upper half, the bits of the
/// pivot, those of the mean less the pivot, those of the sum of squared deviations, then zeros. Of `f64`
/// the same, each number as two words, the lower first, and no zeros. Where the count's highest bit is set, the last two numbers are far:
/// to be multiplied by 2^88 and 2^176, of `f64` by 2^700 and 2^1400. Of
/// integers: the lower and upper half of the sum of u modulo 2^64, the sum of (u − 2^31)^2 from the lowest word to the
/// highest, then zeros, where u is the element, or the element and 2^31 if its type has a sign.
///
/// ```
/// use wgpu_reduce::{Operation, Variance};
///
/// assert_eq!(Variance::POPULATION.on_cpu(&[1_i32, 2, 3, 4])?, 1.25);
/// assert_eq!(Variance::SAMPLE.on_cpu(&[1.0_f32, 2.0, 3.0])?, 1.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Variance {
    /// Delta degrees of freedom, by NumPy's name.
    pub ddof: u32,
}

impl Variance {
    /// The variance of a whole population: divided by the number of elements.
    pub const POPULATION: Self = Self { ddof: 0 };

    /// Estimated from a sample: divided by one less.
    pub const SAMPLE: Self = Self { ddof: 1 };
}

pub(super) static RECORD: OpRecord = OpRecord {
    name: "variance",
    several: None,
    of_none: false,
    over: |number| {
        let accumulator = match number {
            Number::F32 => Accumulator::Moments,
            Number::I32 | Number::U32 => Accumulator::Spread,
            Number::F64 => Accumulator::MomentsF64,
            // Their squares add up to more than 128 bits.
            Number::I64 | Number::U64 => return None,
        };
        Some(Over {
            lifting: Lifting::Appended,
            output_bytes: 32,
            ..Over::unfinished(fragment!("ops/variance.wgsl"), accumulator)
        })
    },
    on_host: |number| match number {
        Number::F32 => Some(combined::<Moments<f32>>),
        Number::I32 | Number::U32 => Some(combined::<Spread>),
        Number::F64 => Some(combined::<Moments<f64>>),
        Number::I64 | Number::U64 => None,
    },
};

/// What a device leaves are the figures, and zeros behind them.
fn combined<F: Figures>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, F::and, |total| filled::<8>(total.words()))
}

/// Implements an operation that has delta degrees of freedom over one type of elements: what comes out, what the device
/// leaves and how that is finished, the CPU's way to it, and how far the two may be apart.
macro_rules! deviate {
    (
        $operation:ident of $element:ty => $output:ty, from $raw:ty = $finish:expr;
        $on_cpu:expr $(, $tolerance:expr)?
    ) => {
        impl $crate::op::sealed::Sealed<$element> for $operation {}

        $crate::op::fold::folds!($operation of $element => $output, from $raw; &RECORD);

        impl $crate::op::Operation<$element> for $operation {
            fn record(&self) -> &'static $crate::op::OpRecord {
                &RECORD
            }

            fn finish(&self, raw: $raw, len: u64) -> $crate::error::Result<$output> {
                Ok($finish(raw, len, self.ddof))
            }

            fn on_cpu(&self, values: &[$element]) -> $crate::error::Result<$output> {
                RECORD.check_len(values.len() as u64)?;
                Ok($on_cpu(values, self.ddof))
            }

            $(fn tolerance(&self, values: &[$element], accuracy: &$crate::op::Accuracy) -> f64 {
                $tolerance(values, accuracy, self.ddof)
            })?
        }
    };
}
pub(super) use deviate;

deviate!(Variance of f32 => f32, from [u32; 8] = finish_f32; variance, tolerance);
deviate!(Variance of f64 => f64, from [u32; 8] = finish_f64; variance_of_f64, tolerance);
deviate!(Variance of i32 => f64, from [u32; 8] = finish_i32; variance_of_i32);
deviate!(Variance of u32 => f64, from [u32; 8] = finish_u32; variance_of_u32);

fn finish_f32([low, high, pivot, rest, squares, ..]: [u32; 8], len: u64, ddof: u32) -> f32 {
    moments([low, high, pivot, rest, squares], len, ddof).1
}

/// Mean and variance of what `parts/moments.wgsl` leaves.
pub(super) fn moments(figures: [u32; 5], len: u64, ddof: u32) -> (f64, f32) {
    let [low, high, numbers @ ..] = figures;
    let [pivot, mut rest, mut squares] = numbers.map(|word| f64::from(f32::from_bits(word)));
    if is_far(word64(low, high)) {
        let far = f64::from(f32::FAR);
        (rest, squares) = (rest / far, squares / far / far);
    }
    let variance = if rest.is_finite() { squares / divisor(len, ddof) } else { f64::NAN };
    (pivot + rest, to_f32(variance))
}

fn finish_f64(raw: [u32; 8], len: u64, ddof: u32) -> f64 {
    moments_f64(raw, len, ddof).1
}

/// Mean and variance of `f64`, as [`moments`] of `f32`; each number is two words.
pub(super) fn moments_f64(figures: [u32; 8], len: u64, ddof: u32) -> (f64, f64) {
    let [low, high, pivot, pivot_high, rest, rest_high, squares, squares_high] = figures;
    let number = |low, high| f64::from_bits(word64(low, high));
    let [pivot, rest] = [number(pivot, pivot_high), number(rest, rest_high)];
    let variance = number(squares, squares_high) / divisor(len, ddof);
    let (mean, variance) = if is_far(word64(low, high)) {
        ((pivot * f64::FAR + rest) / f64::FAR, variance / f64::FAR / f64::FAR)
    } else {
        (pivot + rest, variance)
    };
    (mean, if rest.is_finite() { variance } else { f64::NAN })
}

pub(super) fn variance_of_f64(values: &[f64], ddof: u32) -> f64 {
    doubles::variance(values, divisor(values.len() as u64, ddof))
}

fn tolerance<T: Element + Into<f64>>(values: &[T], accuracy: &Accuracy, ddof: u32) -> f64 {
    let (numbers, precision) = (numbers(values), Precision::of(T::KIND));
    let in_tile = in_tile(&RECORD, &numbers, precision, accuracy);
    bound_of_variance(&numbers, precision, accuracy, ddof, in_tile)
}

pub(super) fn variance(values: &[f32], ddof: u32) -> f32 {
    to_f32(squared_deviations(values) / divisor(values.len() as u64, ddof))
}

fn finish_i32(raw: [u32; 8], len: u64, ddof: u32) -> f64 {
    let [low, high, squares @ .., _, _] = raw;
    spread_of_signed(sum_of_keys(low, high, len), squares, len, ddof)
}

fn finish_u32(raw: [u32; 8], len: u64, ddof: u32) -> f64 {
    let [low, high, squares @ .., _, _] = raw;
    spread_of_unsigned(word64(low, high), squares, len, ddof)
}

/// The sum of so many numbers that have a sign, from that of their keys. It is modulo 2^64, as the other is, which
/// is beyond 2^64 from 2^33 elements on whatever they are.
pub(super) const fn sum_of_keys(low: u32, high: u32, len: u64) -> i64 {
    word64(low, high).wrapping_sub(len << KEYS_OF_SIGNED).cast_signed()
}

/// The variance of what `parts/spread.wgsl` leaves of numbers that have a sign: squares are of the numbers.
pub(super) fn spread_of_signed(sum: i64, squares: [u32; 4], len: u64, ddof: u32) -> f64 {
    variance_of_sums(sum.into(), word128(squares), len, ddof)
}

/// The variance of what `parts/spread.wgsl` leaves of numbers that have no sign: squares are of the numbers less 2^31.
pub(super) fn spread_of_unsigned(sum: u64, squares: [u32; 4], len: u64, ddof: u32) -> f64 {
    let centred = i128::from(sum) - (i128::from(len) << KEYS_OF_SIGNED);
    variance_of_sums(centred, word128(squares), len, ddof)
}

/// The exponent of what is added to numbers that have a sign before they are summed, and taken from others before
/// they are squared.
const KEYS_OF_SIGNED: u32 = 31;

fn variance_of_i32(values: &[i32], ddof: u32) -> f64 {
    let sum = values.iter().map(|&v| i128::from(v)).sum();
    let squares = values.iter().map(|v| u128::from(v.unsigned_abs()).pow(2)).sum();
    variance_of_sums(sum, squares, values.len() as u64, ddof)
}

fn variance_of_u32(values: &[u32], ddof: u32) -> f64 {
    let sum = values.iter().map(|&v| i128::from(v)).sum();
    let squares = values.iter().map(|&v| u128::from(v).pow(2)).sum();
    variance_of_sums(sum, squares, values.len() as u64, ddof)
}
