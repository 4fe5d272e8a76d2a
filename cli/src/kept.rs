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

/// Compares each figure with the CPU's, from which it may be off by its bound. Where a bound is infinite nothing is known of its figure,
/// and the check is undecided, with a note, unless another figure is wrong.
pub(crate) fn compare(cpu: Figures, gpu: &Figures, bounds: &[f64]) -> Check {
    let distances: Vec<_> =
        cpu.iter().zip(gpu.iter()).map(|((_, cpu), (_, gpu))| cpu.distance(gpu)).collect();
    let mut pairs = distances.iter().zip(bounds);
    // The distance of NaN from a number is NaN, which no finite bound allows.
    let is_right = pairs.all(|(distance, bound)| distance <= bound || !bound.is_finite());
    let is_open = bounds.iter().any(|bound| !bound.is_finite());
    let ok = (!is_open || !is_right).then_some(is_right);
    let difference = cpu.with(distances.iter().copied().map(Number::F64));
    let bound = cpu.with(bounds.iter().copied().map(Number::F64));
    Check { cpu, difference, bound, ok, note: ok.is_none().then_some(OPEN), doubt: None }
}

/// The note of results whose bound is infinite.
const OPEN: &str = "the bound is infinite: partial results may overflow, or are rounded too often";

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
    use wgpu_reduce::Extrema;

    #[test]
    fn without_a_bound_everything_is_undecided() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        let values = [0.0, 1e38, inf, -inf, nan];
        for (cpu, gpu) in values.into_iter().flat_map(|cpu| values.map(|gpu| (cpu, gpu))) {
            let check = compare(Figures::from(cpu), &Figures::from(gpu), &[f64::INFINITY]);
            assert_eq!((check.ok, check.note.is_some()), (None, true), "{cpu} and {gpu}");
            assert_eq!(check.bound, Figures::from(f64::INFINITY), "{cpu} and {gpu}");
        }
        let ok = |gpu: f32| compare(Figures::from(1.0_f32), &Figures::from(gpu), &[0.5]).ok;
        assert_eq!([1.5, nan, inf].map(ok), [Some(true), Some(false), Some(false)]);
    }

    #[test]
    fn a_figure_that_is_wrong_is_wrong_whatever_others_are() {
        let figures = |min: f32, max: f32| Figures::from(Extrema { min, max });
        let ok = |gpu: &Figures| compare(figures(1.0, 2.0), gpu, &[f64::INFINITY, 0.5]).ok;
        for (gpu, expected) in [
            (figures(1.0, 2.5), None),
            (figures(9.0, 2.5), None),
            (figures(9.0, 3.0), Some(false)),
            (figures(1.0, f32::NAN), Some(false)),
        ] {
            assert_eq!(ok(&gpu), expected, "{gpu}");
        }
    }
}
