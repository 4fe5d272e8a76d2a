//! Checks against the library's own definition of an operation, which needs all elements at once.

use crate::check::{Check, Gather};
use crate::figures::Figures;
use crate::number::Number;
use wgpu_reduce::{Element, Error, Operation, Plan};

/// The elements themselves.
#[derive(Debug)]
pub(crate) struct Kept<T>(pub(crate) Vec<T>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> Gather<T> for Kept<T> {
    fn add(&mut self, values: &[T]) {
        self.0.extend_from_slice(values);
    }
}

/// Compares each figure with that of the definition, from which it may be off by its bound.
pub(crate) fn judge<T: Element, O: Operation<T, Output: Into<Figures>>>(
    operation: O,
    values: &[T],
    gpu: O::Output,
    bounds: &[f64],
) -> Result<Check, Error> {
    Ok(compare(operation.on_cpu(values)?.into(), &gpu.into(), bounds))
}

/// Compares each figure with the CPU's, from which it may be off by its bound.
pub(crate) fn compare(cpu: Figures, gpu: &Figures, bounds: &[f64]) -> Check {
    let distances: Vec<_> =
        cpu.iter().zip(gpu.iter()).map(|((_, cpu), (_, gpu))| cpu.distance(gpu)).collect();
    // The distance of NaN from a number is NaN, which only an infinite bound allows.
    let is_near = |(distance, bound): (&f64, &f64)| *bound == f64::INFINITY || distance <= bound;
    let ok = distances.iter().zip(bounds).all(is_near);
    let may_overflow = bounds.contains(&f64::INFINITY);
    let difference = cpu.with(distances.into_iter().map(Number::F64));
    let bound = cpu.with(bounds.iter().copied().map(Number::F64));
    Check { cpu, difference, bound, ok, may_overflow }
}

/// The same bound for every figure of a result.
pub(crate) fn one_bound<T: Element, O: Operation<T>>(
    operation: O,
    values: &[T],
    plan: &Plan,
) -> Vec<f64> {
    vec![operation.tolerance(values, &plan.accuracy()); MOST_FIGURES]
}

/// More than any result has.
const MOST_FIGURES: usize = 16;
