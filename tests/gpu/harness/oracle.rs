//! What is right: naive results on the CPU, and how near a result must be.

use super::{Outcome, Rig, TestElement, ensure};
use std::fmt::Debug;
use wgpu_reduce::{GpuReducer, GpuSlice, Operation, Plan, Result, Sum, WrappingSum};

/// How far from the oracle's value a result may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tolerance {
    /// Not at all.
    Exact,
    /// By this much.
    Absolute(f64),
}

/// A result that can be compared.
pub(crate) trait Judged: Copy + Debug {
    fn within(self, expected: Self, tolerance: Tolerance) -> bool;

    /// The same to the last bit.
    fn same_bits(self, other: Self) -> bool;
}

/// An operation whose right results are known.
pub(crate) trait Oracle<T: TestElement>: Operation<T, Output: Judged> + Default {
    /// The right result, and how near one that `plan` computes must be.
    fn oracle(values: &[T], plan: &Plan) -> (Self::Output, Tolerance);

    /// The blocking call.
    fn call(reducer: &GpuReducer, input: GpuSlice<'_, T>) -> Result<Self::Output>;
}

impl Judged for f32 {
    fn within(self, expected: Self, tolerance: Tolerance) -> bool {
        match tolerance {
            Tolerance::Exact => self.same_bits(expected),
            Tolerance::Absolute(bound) => {
                // The oracle's own rounding to f32.
                let rounding = f64::from(expected.abs()) * f64::from(Self::EPSILON);
                (f64::from(self) - f64::from(expected)).abs() <= bound + rounding
            }
        }
    }

    fn same_bits(self, other: Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

macro_rules! judge_integers {
    ($($output:ty),*) => {$(
        impl Judged for $output {
            fn within(self, expected: Self, _: Tolerance) -> bool {
                self == expected
            }

            fn same_bits(self, other: Self) -> bool {
                self == other
            }
        }
    )*};
}
judge_integers!(i32, u32, i64, u64);

impl Oracle<f32> for Sum {
    #[expect(clippy::cast_possible_truncation, reason = "the oracle rounds once")]
    fn oracle(values: &[f32], plan: &Plan) -> (f32, Tolerance) {
        let sum: f64 = values.iter().map(|&v| f64::from(v)).sum();
        let magnitudes: f64 = values.iter().map(|&v| f64::from(v).abs()).sum();
        (sum as f32, Tolerance::Absolute(plan.error_bound(magnitudes)))
    }

    fn call(reducer: &GpuReducer, input: GpuSlice<'_, f32>) -> Result<f32> {
        reducer.sum(input)
    }
}

macro_rules! integer_oracles {
    ($($element:ty),*) => {$(
        impl Oracle<$element> for Sum {
            fn oracle(values: &[$element], _: &Plan) -> (Self::Output, Tolerance) {
                let sum: i128 = values.iter().map(|&v| i128::from(v)).sum();
                (sum.try_into().expect("sums of tests fit"), Tolerance::Exact)
            }

            fn call(reducer: &GpuReducer, input: GpuSlice<'_, $element>) -> Result<Self::Output> {
                reducer.sum(input)
            }
        }

        impl Oracle<$element> for WrappingSum {
            fn oracle(values: &[$element], _: &Plan) -> ($element, Tolerance) {
                (Self.on_cpu(values).expect("no sum is undefined"), Tolerance::Exact)
            }

            fn call(reducer: &GpuReducer, input: GpuSlice<'_, $element>) -> Result<$element> {
                reducer.wrapping_sum(input)
            }
        }
    )*};
}
integer_oracles!(i32, u32);

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
    let plan = rig.reducer.plan(O::default(), slice)?;
    let result = O::call(&rig.reducer, slice)?;
    let (expected, tolerance) = O::oracle(values, &plan);
    ensure!(
        result.within(expected, tolerance),
        "{what}, {} elements: {result:?} is not {expected:?} ({tolerance:?})",
        values.len()
    );
    let again = O::call(&rig.reducer, slice)?;
    ensure!(
        result.same_bits(again),
        "{what}, {} elements: {again:?} after {result:?}: not the same bits",
        values.len()
    );
    Ok(())
}
