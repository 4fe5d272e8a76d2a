//! What is right: naive results on the CPU, and how near a result must be.

use super::{Outcome, Rig, TestElement, ensure};
use half::{bf16, f16};
use std::fmt::Debug;
use wgpu_reduce::{
    Accuracy, ElementKind, Extrema, GpuSlice, Located, OpRecord, Operation, Pending, Result,
    Statistics, Stats, Sum,
};
use wgpu_reduce_known::{Overflowing, agrees};

/// A result that can be compared.
pub(crate) trait Judged: Copy + Debug {
    /// Whether it is no farther from `expected` than `tolerance`, or the same. A tolerance without end allows nothing else, but
    /// that both are [at the end](are_at_end) of their type's range.
    fn within(self, expected: Self, tolerance: f64) -> bool;

    /// Whether results are equal to the last bit, any NaN being the same.
    fn same_bits(self, other: Self) -> bool;

    /// The number, if it is a float.
    fn float(self) -> Option<f64> {
        None
    }
}

/// What roundings of numbers that tests add up come to at most, as a part of the largest number.
const OF_LARGEST: f64 = 1.0 / 64.0;

/// Whether numbers are so near to the largest one, or to the least, that roundings may make either infinite.
pub(crate) fn are_at_end(one: f64, other: f64, largest: f64) -> bool {
    let end = largest * (1.0 - OF_LARGEST);
    one >= end && other >= end || one <= -end && other <= -end
}

macro_rules! judge_floats {
    ($($float:ty),*) => {$(
        impl Judged for $float {
            fn within(self, expected: Self, tolerance: f64) -> bool {
                let [result, right, largest] = [self, expected, Self::MAX].map(f64::from);
                agrees(result, right, tolerance)
                    || !tolerance.is_finite() && are_at_end(result, right, largest)
            }

            fn same_bits(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }

            fn float(self) -> Option<f64> {
                Some(self.into())
            }
        }
    )*};
}
judge_floats!(f16, bf16, f32, f64);

macro_rules! judge_exact {
    ($($output:ty),*) => {$(
        impl Judged for $output {
            fn within(self, expected: Self, tolerance: f64) -> bool {
                self == expected && tolerance == 0.0
            }

            fn same_bits(self, other: Self) -> bool {
                self == other
            }
        }
    )*};
}
judge_exact!(u8, i8, u16, i16, i32, u32, i64, u64, i128, u128, bool);

impl<T: Judged> Judged for Located<T> {
    fn within(self, expected: Self, tolerance: f64) -> bool {
        self.index == expected.index && self.value.within(expected.value, tolerance)
    }

    fn same_bits(self, other: Self) -> bool {
        self.index == other.index && self.value.same_bits(other.value)
    }
}

impl<T: Judged> Judged for Extrema<T> {
    fn within(self, expected: Self, tolerance: f64) -> bool {
        self.min.within(expected.min, tolerance) && self.max.within(expected.max, tolerance)
    }

    fn same_bits(self, other: Self) -> bool {
        self.min.same_bits(other.min) && self.max.same_bits(other.max)
    }
}

/// Figures that round are judged by [`Oracle::judge`].
impl<T: Judged, S: Judged, M: Judged> Judged for Statistics<T, S, M> {
    fn within(self, expected: Self, tolerance: f64) -> bool {
        self.count == expected.count
            && self.min.within(expected.min, 0.0)
            && self.max.within(expected.max, 0.0)
            && self.sum.within(expected.sum, tolerance)
            && self.mean.within(expected.mean, tolerance)
            && self.variance.within(expected.variance, tolerance)
    }

    fn same_bits(self, other: Self) -> bool {
        let exact = self.count == other.count
            && self.min.same_bits(other.min)
            && self.max.same_bits(other.max);
        exact
            && self.sum.same_bits(other.sum)
            && self.mean.same_bits(other.mean)
            && self.variance.same_bits(other.variance)
    }
}

/// An operation whose right results are known: by default those of the library's own definition on the
/// CPU, which has tests of its own (the table of NumPy's results among them).
pub(crate) trait Oracle<T: TestElement>: Operation<T, Output: Judged> + Default {
    /// The right result, or the right error.
    fn expected(values: &[T]) -> Result<Self::Output> {
        Self::default().on_cpu(values)
    }

    /// Whether what `plan` computed is near enough.
    fn judge(
        result: Self::Output,
        expected: Self::Output,
        values: &[T],
        accuracy: &Accuracy,
    ) -> bool {
        let operation = Self::default();
        let sum = || overflowing(operation.record(), values);
        is_near(result, expected, operation.tolerance(values, accuracy), accuracy, sum)
    }
}

/// The sum of these values, if an operation adds up floats and partial sums may overflow.
pub(crate) fn overflowing<T: TestElement>(
    operation: &OpRecord,
    values: &[T],
) -> Option<Overflowing> {
    let is_nan_sum = match operation.name() {
        "sum" => false,
        "nan_sum" => true,
        _ => return None,
    };
    let floats = values.iter().map(|value| value.float());
    let counted = floats.filter(|value| !(is_nan_sum && value.is_nan()));
    Some(sum_of(T::KIND, counted.map(|value| (value, 1.0))))
}

fn sum_of(element: ElementKind, terms: impl Iterator<Item = (f64, f64)>) -> Overflowing {
    let is_double = element == ElementKind::F64;
    let mut sum = if is_double { Overflowing::double() } else { Overflowing::single() };
    terms.for_each(|(a, b)| sum.add(a, b));
    sum
}

/// Whether the dot product of two inputs is near enough.
pub(crate) fn is_near_dot<T: TestElement, R: Judged>(
    result: R,
    expected: R,
    [left, right]: [&[T]; 2],
    (tolerance, accuracy): (f64, &Accuracy),
) -> bool {
    let pairs = || left.iter().map(|value| value.float()).zip(right.iter().map(|v| v.float()));
    is_near(result, expected, tolerance, accuracy, || Some(sum_of(T::KIND, pairs())))
}

/// Whether a result is within a tolerance, or without one is what `sum` may be in some order of additions.
fn is_near<R: Judged>(
    result: R,
    expected: R,
    tolerance: f64,
    accuracy: &Accuracy,
    sum: impl Fn() -> Option<Overflowing>,
) -> bool {
    let number = result.float().filter(|_| !tolerance.is_finite());
    match number.and_then(|number| Some((number, sum()?))) {
        Some((number, sum)) => sum.allows(number, accuracy.roundings),
        None => result.within(expected, tolerance),
    }
}

/// Operations on some types are judged below.
macro_rules! judged {
    (Sum of $class:ident) => { judged!([f32, f16, bf16, i64, u64, f64] Sum); };
    (Stats of $class:ident) => { judged!([i32, u32, u8, i8, u16, i16] Stats); };
    ($operation:ident of $class:ident) => {
        wgpu_reduce::with_elements!(every of $class, judged ($operation));
    };
    ([$($element:ty),*] $operation:ident) => {$(
        impl Oracle<$element> for wgpu_reduce::$operation {}
    )*};
}

macro_rules! judged_by_definition {
    ($($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        $(judged!($operation of $class);)*
    };
}
wgpu_reduce::for_each_operation!(judged_by_definition);

macro_rules! sums_of_integers {
    ($($element:ty),*) => {$(
        impl Oracle<$element> for Sum {
            fn expected(values: &[$element]) -> Result<Self::Output> {
                let sum: i128 = values.iter().map(|&v| i128::from(v)).sum();
                Ok(sum.try_into().expect("sums of tests fit"))
            }
        }
    )*};
}
sums_of_integers!(i32, u32, u8, i8, u16, i16);

macro_rules! stats_of_floats {
    ($($float:ty),*) => {$(
        impl Oracle<$float> for Stats {
            /// Each figure as the operation of its name, but for the sum, which is the mean's.
            fn judge(
                result: Self::Output,
                expected: Self::Output,
                values: &[$float],
                accuracy: &Accuracy,
            ) -> bool {
                let [of_sum, of_mean, of_variance] = Self::default().tolerances(values, accuracy);
                result.count == expected.count
                    && result.min.within(expected.min, 0.0)
                    && result.max.within(expected.max, 0.0)
                    && result.sum.within(expected.sum, of_sum)
                    && result.mean.within(expected.mean, of_mean)
                    && result.variance.within(expected.variance, of_variance)
            }
        }
    )*};
}
stats_of_floats!(f32, f16, bf16, f64);

/// Elements to put before and after the ones under test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Poison {
    pub(crate) before: usize,
    pub(crate) after: usize,
}

/// Uploads `values` between poisoned neighbours, reduces them, and asks the oracle.
pub(crate) fn check<T: TestElement, O: Oracle<T>>(
    rig: &Rig,
    values: &[T],
    poison: Poison,
    what: &str,
) -> Outcome {
    let mut padded = vec![T::poison(); poison.before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + poison.after, T::poison());
    let buffer = rig.reducer.upload(&padded)?;
    let start = poison.before as u64;
    let slice = buffer.slice(start..start + values.len() as u64)?;
    check_slice::<T, O>(rig, slice, values, what)
}

/// Reduces a slice that holds `values`, and asks the oracle.
pub(crate) fn check_slice<T: TestElement, O: Oracle<T>>(
    rig: &Rig,
    slice: GpuSlice<'_, T>,
    values: &[T],
    what: &str,
) -> Outcome {
    let len = values.len();
    let run = || rig.reducer.reduce(O::default(), slice).start().and_then(Pending::wait);
    let expected = match O::expected(values) {
        Ok(expected) => expected,
        Err(error) => {
            let outcome = run();
            ensure!(outcome.as_ref().err() == Some(&error), "{what}, {len} elements: {outcome:?}");
            return Ok(());
        }
    };
    let plan = rig.reducer.reduce(O::default(), slice).plan()?;
    let result = run()?;
    ensure!(
        O::judge(result, expected, values, &plan.accuracy()),
        "{what}, {len} elements: {result:?} is not {expected:?} within {:e}",
        O::default().tolerance(values, &plan.accuracy())
    );
    let again = run()?;
    ensure!(
        result.same_bits(again),
        "{what}, {len} elements: {again:?} after {result:?}: not the same bits"
    );
    Ok(())
}
