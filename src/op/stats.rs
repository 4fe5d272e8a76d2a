//! Many figures in one pass.

use super::deviations::{to_f32, to_f64};
use super::mean::mean_of_sum;
use super::results::{Located, Statistics, located};
use super::variance::{moments, spread_of, word64};
use super::{ArgMax, ArgMin, Mean, OpRecord, Operation, Over, Sum, Variance};
use crate::accumulator::Accumulator;
use crate::element::Number;
use crate::error::Result;
use crate::fragment::fragment;
use crate::lifting::Lifting;
use crate::plan::Plan;

/// Count, smallest and largest element with their indices, sum, mean and variance, in one pass over the
/// data.
///
/// | elements | sum | mean and variance |
/// |---|---|---|
/// | `i32` | `i64` | `f64` |
/// | `u32` | `u64` | `f64` |
/// | `f32` | `f32` | `f32` |
///
/// Each figure is what the operation of its name gives ([`ArgMin`], [`ArgMax`], [`Sum`], [`Mean`],
/// [`Variance`], where NaN, ties, infinity and bounds are told), but for two things: the sum of `f32`
/// is the mean by the count, so that it is as near as that; and what NaN or infinity make of sum and
/// mean of `f32` is decided on the bits, so it is the same on every device. All of integers has the
/// same bits on every device; that of `f32` on every run on one adapter with one tuning. Of no elements
/// there is no result: [`Error::Empty`](crate::Error::Empty).
///
/// There is none of elements of 64 bits.
///
/// What a device leaves are 16 words: the smallest element's bits, its index's lower and upper half, the
/// largest element's bits and index alike, then what it leaves for [`Variance`], then zeros.
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
    /// Of the variance, as in [`Variance::ddof`].
    pub ddof: u32,
}

impl Stats {
    /// How far sum, mean and variance of `f32` that a device computes by `plan` may lie from those of
    /// [`on_cpu`](Operation::on_cpu); see [`Operation::tolerance`].
    #[must_use]
    pub fn tolerances(&self, values: &[f32], plan: &Plan) -> [f64; 3] {
        let mean = Mean.tolerance(values, plan);
        let sum = mean * to_f64(values.len() as u64) + Sum.tolerance(values, plan);
        [sum, mean, Variance { ddof: self.ddof }.tolerance(values, plan)]
    }
}

pub(super) static RECORD: OpRecord = OpRecord {
    name: "stats",
    of_none: false,
    over: |number| {
        Some(Over {
            fragment: fragment!("ops/stats.wgsl"),
            accumulator: match number {
                Number::F32 => Accumulator::StatsF32,
                Number::I32 | Number::U32 => Accumulator::StatsInteger,
                Number::I64 | Number::U64 | Number::F64 => return None,
            },
            lifting: Lifting::FoundBoth,
            output_bytes: 64,
        })
    },
};

macro_rules! stats_over {
    ($element:ty => $sum:ty, $mean:ty; $finish:ident $(, $tolerance:ident)?) => {
        impl Operation<$element> for Stats {
            type Raw = [u32; 16];
            type Output = Statistics<$element, $sum, $mean>;

            fn record(&self) -> &'static OpRecord {
                &RECORD
            }

            fn finish(&self, raw: [u32; 16], len: u64) -> Result<Self::Output> {
                let [min, min_low, min_high, max, max_low, max_high, sums @ ..] = raw;
                let min = located([min_low, min_high, min, 0]);
                let max = located([max_low, max_high, max, 0]);
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

            $(fn tolerance(&self, values: &[$element], plan: &Plan) -> f64 {
                $tolerance(self.tolerances(values, plan))
            })?
        }
    };
}
stats_over!(f32 => f32, f32; finish_f32, largest);
stats_over!(i32 => i64, f64; finish_i32);
stats_over!(u32 => u64, f64; finish_u32);

/// That of the figure which may be farthest off.
fn largest(tolerances: [f64; 3]) -> f64 {
    tolerances.into_iter().fold(0.0, f64::max)
}

/// The words that follow the extremes.
type Sums = [u32; 10];

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
    let [_, _, pivot, rest, squares, ..] = sums;
    let (mean, variance) = moments(pivot, rest, squares, len, ddof);
    let sum = f64::from(f32::from_bits(pivot)) + f64::from(f32::from_bits(rest));
    (to_f32(sum * to_f64(len)), mean, variance)
}

fn finish_i32(
    _: Located<i32>,
    _: Located<i32>,
    [low, high, squares @ .., _, _, _, _]: Sums,
    len: u64,
    ddof: u32,
) -> (i64, f64, f64) {
    let keys = word64(low, high);
    // Modulo 2^64, as the sum of keys is.
    let sum = keys.wrapping_sub(len << 31).cast_signed();
    (sum, mean_of_sum(sum.into(), len), spread_of(keys, squares, len, ddof))
}

fn finish_u32(
    _: Located<u32>,
    _: Located<u32>,
    [low, high, squares @ .., _, _, _, _]: Sums,
    len: u64,
    ddof: u32,
) -> (u64, f64, f64) {
    let sum = word64(low, high);
    (sum, mean_of_sum(sum.into(), len), spread_of(sum, squares, len, ddof))
}
