//! Many figures in one pass.

use super::Accuracy;
use super::deviations::{bound_of_mean, bound_of_variance, in_tile, numbers, to_f32, to_f64};
use super::doubles;
use super::fold::folds;
use super::host::{Described, Figures, Keyed, Moments, Spread, fold};
use super::mean::mean_of_sum;
use super::precision::Precision;
use super::results::{Located, Statistics, located};
use super::variance::{moments, moments_f64, spread_of_signed, spread_of_unsigned, sum_of_keys};
use super::words::word64;
use super::{ArgMax, ArgMin, Mean, OpRecord, Operation, Over, Sum, Variance};
use crate::error::Result;
use crate::op::accumulator::Accumulator;
use crate::op::element::{Element, Number};
use crate::op::lifting::Lifting;
use crate::shader::fragment::fragment;

/// Count, smallest and largest element with their indices, sum, mean and variance, in one pass over the
/// data.
///
/// | elements | sum | mean and variance |
/// |---|---|---|
/// | `i32` | `i64` | `f64` |
/// | `u32` | `u64` | `f64` |
/// | `f32` | `f32` | `f32` |
/// | `f64` | `f64` | `f64` |
///
/// Each figure is what the operation of its name gives ([`ArgMin`], [`ArgMax`], [`Sum`], [`Mean`],
/// [`Variance`], where NaN, ties, infinity and bounds are told), but for two things: the sum of floats
/// is the mean by the count, which is counted from a pivot, so that it is as near as that; and what NaN or infinity
/// make of sum and mean of floats is decided on the bits, so it is the same on every device. All of integers has the
/// same bits on every device; that of floats on every run on one adapter with one tuning. Of no elements
/// there is no result: [`Error::Empty`](crate::Error::Empty).
///
/// The bound of the variance of `f32` has as many roundings more than that of [`Variance`] as that of `f64` has there:
/// [`tolerances`](Self::tolerances) has it.
///
/// Mean and variance of integers are right while the sum is one of its type, as [`Variance`] says; a sum beyond that
/// is modulo 2^64, as that of [`Sum`].
///
/// There is none of `i64` and `u64`, whose squares add up to more than 128 bits.
///
/// What a device leaves are 16 words: the smallest element's bits, its index's lower and upper half, the
/// largest element's bits and index alike, then what it leaves for [`Variance`], then zeros. Of `f64` elements have two
/// words, the lower first, and there are no zeros.
///
/// ```
/// use wgpu_reduce::{Located, Operation, Stats};
///
/// let stats = Stats::default().on_cpu(&[3_i32, -1, 4, -1])?;
/// assert_eq!(stats.min, Located { index: 1, value: -1 });
/// assert_eq!((stats.sum, stats.mean, stats.variance), (5, 1.25, 5.1875));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Delta degrees of freedom of the variance, as in [`Variance::ddof`].
    pub ddof: u32,
}

impl Stats {
    /// How far sum, mean and variance of floats that a device computes may lie from those of
    /// [`on_cpu`](Operation::on_cpu), 0 of integers; see [`Operation::tolerance`].
    ///
    /// ```
    /// use wgpu_reduce::{Accuracy, Stats};
    ///
    /// # fn example(accuracy: &Accuracy) {
    /// let [sum, mean, variance] = Stats::default().tolerances(&[1.5_f64, 2.5], accuracy);
    /// assert!(sum < 1e-12 && mean < 1e-12 && variance < 1e-12);
    /// # }
    /// ```
    #[must_use]
    pub fn tolerances<T: Element + Into<f64>>(
        &self,
        values: &[T],
        accuracy: &Accuracy,
    ) -> [f64; 3] {
        if !T::KIND.number().is_float() {
            return [0.0; 3];
        }
        let (numbers, precision) = (numbers(values), Precision::of(T::KIND));
        let mean = bound_of_mean(&numbers, precision, accuracy);
        let sum = precision.rounded(mean * to_f64(numbers.len() as u64), doubles::sum(&numbers));
        let in_tile = in_tile(&RECORD, &numbers, precision, accuracy);
        [sum, mean, bound_of_variance(&numbers, precision, accuracy, self.ddof, in_tile)]
    }
}

pub(super) static RECORD: OpRecord = OpRecord {
    name: "stats",
    several: None,
    of_none: false,
    over: |number| {
        let accumulator = match number {
            Number::F32 => Accumulator::DescribedF32,
            Number::I32 | Number::U32 => Accumulator::DescribedInteger,
            Number::F64 => Accumulator::DescribedF64,
            // Their squares add up to more than 128 bits.
            Number::I64 | Number::U64 => return None,
        };
        Some(Over {
            lifting: Lifting::FoundBoth,
            output_bytes: 64,
            ..Over::unfinished(fragment!("ops/stats.wgsl"), accumulator)
        })
    },
    on_host: |number| match number {
        Number::F32 => Some(combined::<f32, Moments<f32>>),
        Number::I32 => Some(combined::<i32, Spread>),
        Number::U32 => Some(combined::<u32, Spread>),
        Number::F64 => Some(combined::<f64, Moments<f64>>),
        Number::I64 | Number::U64 => None,
    },
};

fn combined<T: Keyed, F: Figures>(parts: &[u8]) -> Result<Vec<u8>> {
    fold(parts, Described::<T::Key, F>::and, Described::finished::<T>)
}

macro_rules! stats_over {
    ($element:ty => $sum:ty, $mean:ty; $places:ident, $finish:ident $(, $tolerance:ident)?) => {
        impl crate::op::sealed::Sealed<$element> for Stats {}

        folds!(Stats of $element => Statistics<$element, $sum, $mean>, from [u32; 16]; &RECORD);

        impl Operation<$element> for Stats {
            fn record(&self) -> &'static OpRecord {
                &RECORD
            }

            fn finish(&self, raw: [u32; 16], len: u64) -> Result<Self::Output> {
                let (min, max, sums) = $places(raw);
                let (sum, mean, variance) = $finish(min, max, sums, len, self.ddof);
                Ok(Statistics { count: len, min, max, sum, mean, variance })
            }

            fn on_cpu(&self, values: &[$element]) -> Result<Self::Output> {
                RECORD.check_len(values.len() as u64)?;
                Ok(Statistics {
                    count: values.len() as u64,
                    min: ArgMin.on_cpu(values)?,
                    max: ArgMax.on_cpu(values)?,
                    sum: Sum.on_cpu(values)?,
                    mean: Mean.on_cpu(values)?,
                    variance: Variance { ddof: self.ddof }.on_cpu(values)?,
                })
            }

            $(fn tolerance(&self, values: &[$element], accuracy: &Accuracy) -> f64 {
                $tolerance(self.tolerances(values, accuracy))
            })?
        }
    };
}
stats_over!(f32 => f32, f32; words, finish_f32, largest);
stats_over!(f64 => f64, f64; pairs_of_words, finish_f64, largest);
stats_over!(i32 => i64, f64; words, finish_i32);
stats_over!(u32 => u64, f64; words, finish_u32);

/// The tolerance of the figure that may be farthest off.
fn largest(tolerances: [f64; 3]) -> f64 {
    tolerances.into_iter().fold(0.0, f64::max)
}

/// The words that follow the extremes.
type Sums = [u32; 10];

/// Smallest and largest element, of 32 bits, and what follows.
fn words<T: Element>(raw: [u32; 16]) -> (Located<T>, Located<T>, Sums) {
    let [min, min_low, min_high, max, max_low, max_high, sums @ ..] = raw;
    (located([min_low, min_high, min, 0]), located([max_low, max_high, max, 0]), sums)
}

/// Smallest and largest element, of 64 bits, and what follows.
fn pairs_of_words<T: Element>(raw: [u32; 16]) -> (Located<T>, Located<T>, [u32; 8]) {
    let [a, b, min_low, min_high, c, d, max_low, max_high, sums @ ..] = raw;
    (located([min_low, min_high, a, b]), located([max_low, max_high, c, d]), sums)
}

fn finish_f32(
    min: Located<f32>,
    max: Located<f32>,
    sums: Sums,
    len: u64,
    ddof: u32,
) -> (f32, f32, f32) {
    // If one of them is NaN both are, and infinities of both signs make NaN.
    let beyond = min.value + max.value;
    if !(min.value.is_finite() && max.value.is_finite()) {
        let beyond = if beyond.is_nan() { f32::NAN } else { beyond };
        return (beyond, beyond, f32::NAN);
    }
    let [low, high, pivot, rest, squares, ..] = sums;
    let (mean, variance) = moments([low, high, pivot, rest, squares], len, ddof);
    (to_f32(mean * to_f64(len)), to_f32(mean), variance)
}

fn finish_f64(
    min: Located<f64>,
    max: Located<f64>,
    sums: [u32; 8],
    len: u64,
    ddof: u32,
) -> (f64, f64, f64) {
    let beyond = min.value + max.value;
    if !(min.value.is_finite() && max.value.is_finite()) {
        return (beyond, beyond, f64::NAN);
    }
    let (mean, variance) = moments_f64(sums, len, ddof);
    (mean * to_f64(len), mean, variance)
}

fn finish_i32(
    _: Located<i32>,
    _: Located<i32>,
    [low, high, squares @ .., _, _, _, _]: Sums,
    len: u64,
    ddof: u32,
) -> (i64, f64, f64) {
    let sum = sum_of_keys(low, high, len);
    (sum, mean_of_sum(sum.into(), len), spread_of_signed(sum, squares, len, ddof))
}

fn finish_u32(
    _: Located<u32>,
    _: Located<u32>,
    [low, high, squares @ .., _, _, _, _]: Sums,
    len: u64,
    ddof: u32,
) -> (u64, f64, f64) {
    let sum = word64(low, high);
    (sum, mean_of_sum(sum.into(), len), spread_of_unsigned(sum, squares, len, ddof))
}
