//! What is right: naive sums on the CPU, and how near a result must be.

use super::{Outcome, Rig, TestElement, ensure};
use wgpu_reduce::{GpuSlice, Operation, Plan, Sum};

/// How far from the oracle's value a result may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tolerance {
    /// Not at all.
    Exact,
    /// By this much.
    Absolute(f64),
}

/// A result that the oracle can judge.
pub(crate) trait Judged<T>: Copy + PartialEq + std::fmt::Debug {
    /// The right sum, and how near a result that `plan` computes must be.
    fn oracle(values: &[T], plan: &Plan) -> (Self, Tolerance);

    fn within(self, expected: Self, tolerance: Tolerance) -> bool;

    /// The same to the last bit.
    fn same_bits(self, other: Self) -> bool;
}

impl Judged<f32> for f32 {
    #[expect(clippy::cast_possible_truncation, reason = "the oracle rounds once")]
    fn oracle(values: &[f32], plan: &Plan) -> (Self, Tolerance) {
        let sum: f64 = values.iter().map(|&v| f64::from(v)).sum();
        let magnitudes: f64 = values.iter().map(|&v| f64::from(v).abs()).sum();
        (sum as Self, Tolerance::Absolute(plan.error_bound(magnitudes)))
    }

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
    ($($element:ty => $output:ty),*) => {$(
        impl Judged<$element> for $output {
            fn oracle(values: &[$element], _: &Plan) -> (Self, Tolerance) {
                let sum: i128 = values.iter().map(|&v| i128::from(v)).sum();
                (Self::try_from(sum).expect("sums of tests fit"), Tolerance::Exact)
            }

            fn within(self, expected: Self, _: Tolerance) -> bool {
                self == expected
            }

            fn same_bits(self, other: Self) -> bool {
                self == other
            }
        }
    )*};
}
judge_integers!(i32 => i64, u32 => u64);

/// Elements to put before and after the ones under test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Poison {
    pub(crate) before: usize,
    pub(crate) after: usize,
}

/// Uploads `values` between poisoned neighbours, sums them, and asks the oracle.
pub(crate) fn check_sum<T: TestElement>(
    rig: &Rig,
    values: &[T],
    poison: Poison,
    what: &str,
) -> Outcome
where
    Sum: Operation<T>,
    <Sum as Operation<T>>::Output: Judged<T>,
{
    let mut padded = vec![T::poison(); poison.before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + poison.after, T::poison());
    let buffer = rig.reducer.upload(&padded)?;
    let start = poison.before as u64;
    let slice = buffer.slice(start..start + values.len() as u64)?;
    check_slice(rig, slice, values, what)
}

/// Sums a slice that holds `values`, and asks the oracle.
pub(crate) fn check_slice<T: TestElement>(
    rig: &Rig,
    slice: GpuSlice<'_, T>,
    values: &[T],
    what: &str,
) -> Outcome
where
    Sum: Operation<T>,
    <Sum as Operation<T>>::Output: Judged<T>,
{
    let plan = rig.reducer.plan(Sum, slice)?;
    let sum = rig.reducer.sum(slice)?;
    let (expected, tolerance) = Judged::oracle(values, &plan);
    ensure!(
        sum.within(expected, tolerance),
        "{what}, {} elements: {sum:?} is not {expected:?} ({tolerance:?})",
        values.len()
    );
    let again = rig.reducer.sum(slice)?;
    ensure!(
        sum.same_bits(again),
        "{what}, {} elements: {again:?} after {sum:?}: not the same bits",
        values.len()
    );
    Ok(())
}
