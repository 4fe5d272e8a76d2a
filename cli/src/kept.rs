//! Checks against the library's own definition of an operation, which needs all elements at once.

use crate::check::{Check, Checked, Tally};
use crate::figures::Figures;
use crate::number::Number;
use wgpu_reduce::{Element, Error, Plan};

/// The elements themselves, and what is defined of them.
struct Kept<T> {
    values: Vec<T>,
    definition: Box<dyn Definition<T>>,
}

/// An operation, as far as it is defined on the CPU.
trait Definition<T> {
    fn result(&self, values: &[T]) -> Result<Figures, Error>;

    /// How far each figure may be off.
    fn bounds(&self, values: &[T], plan: &Plan) -> Vec<f64>;
}

impl<T: Element, O: Checked<T>> Definition<T> for O {
    fn result(&self, values: &[T]) -> Result<Figures, Error> {
        Ok(self.on_cpu(values)?.into())
    }

    fn bounds(&self, values: &[T], plan: &Plan) -> Vec<f64> {
        Checked::bounds(*self, values, plan)
    }
}

impl<T: Element> Tally for Kept<T> {
    fn add(&mut self, values: &[u8]) {
        self.values.extend_from_slice(bytemuck::cast_slice(values));
    }

    fn judge(&self, gpu: &Figures, plan: &Plan) -> Result<Check, Error> {
        let cpu = self.definition.result(&self.values)?;
        Ok(compare(cpu, gpu, &self.definition.bounds(&self.values, plan)))
    }
}

/// What is gathered for an operation's definition.
pub(crate) fn tally<T: Element, O: Checked<T>>(operation: O) -> Box<dyn Tally> {
    Box::new(Kept::<T> { values: Vec::new(), definition: Box::new(operation) })
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
pub(crate) fn all_figures(bound: f64) -> Vec<f64> {
    vec![bound; MOST_FIGURES]
}

/// More than any result has.
const MOST_FIGURES: usize = 16;
