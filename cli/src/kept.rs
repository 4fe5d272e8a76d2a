//! Checks against the library's own definition of an operation, which needs all elements at once.

use crate::check::{Check, Checked, Tally};
use crate::figures::Figures;
use crate::memory;
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
    fn add(&mut self, values: &[u8]) -> Result<(), Error> {
        memory::keep(&mut self.values, bytemuck::cast_slice(values))
    }

    fn kept_bytes(&self, elements: u64) -> u64 {
        elements.saturating_mul(size_of::<T>() as u64)
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

/// Compares each figure with the CPU's, from which it may be off by its bound. Where that is no number, as where partial
/// results may overflow, both must be the same.
pub(crate) fn compare(cpu: Figures, gpu: &Figures, bounds: &[f64]) -> Check {
    let distances: Vec<_> =
        cpu.iter().zip(gpu.iter()).map(|((_, cpu), (_, gpu))| cpu.distance(gpu)).collect();
    let may_overflow = bounds.iter().any(|bound| !bound.is_finite());
    let finite = |&bound: &f64| if bound.is_finite() { bound } else { 0.0 };
    let bounds: Vec<f64> = bounds.iter().map(finite).collect();
    // The distance of NaN from a number is NaN, which no bound allows.
    let ok = distances.iter().zip(&bounds).all(|(distance, bound)| distance <= bound);
    let difference = cpu.with(distances.into_iter().map(Number::F64));
    let bound = cpu.with(bounds.into_iter().map(Number::F64));
    Check { cpu, difference, bound, ok: Some(ok), note: None, may_overflow }
}

/// One bound for every figure of a result.
pub(crate) fn all_figures(bound: f64) -> Vec<f64> {
    vec![bound; MOST_FIGURES]
}

/// More than any result has.
const MOST_FIGURES: usize = 16;

#[cfg(test)]
mod tests {
    use super::compare;
    use crate::figures::Figures;

    #[test]
    fn a_bound_that_is_no_number_allows_nothing_but_the_same() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        let values = [0.0, 1e38, inf, -inf, nan];
        for bound in [f64::INFINITY, f64::NAN] {
            for (cpu, gpu) in values.into_iter().flat_map(|cpu| values.map(|gpu| (cpu, gpu))) {
                let check = compare(Figures::from(cpu), &Figures::from(gpu), &[bound]);
                let is_same = cpu.to_bits() == gpu.to_bits();
                assert_eq!(
                    (check.ok, check.may_overflow),
                    (Some(is_same), true),
                    "{cpu} and {gpu}"
                );
                assert_eq!(check.bound, Figures::from(0.0), "{cpu} and {gpu}");
            }
        }
        let ok = |gpu: f32| compare(Figures::from(1.0_f32), &Figures::from(gpu), &[0.5]).ok;
        assert_eq!([1.5, nan].map(ok), [Some(true), Some(false)]);
    }
}
