//! From where to where elements lie, where they say that of bins.

use crate::chosen::Chosen;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::number::Number;
use crate::sample::Sample;
use crate::stream::{Memory, Sink};
use std::ops::Range;
use wgpu_reduce::{
    AnySlices, AnyStream, ElementKind, Error, GpuReducer, MinMax, NanMax, NanMin, Pending, Result,
};

/// What finds the least and the largest element. NaN is none of them.
fn operations(element: ElementKind) -> Vec<Chosen> {
    if element.is_float() { vec![NanMin.into(), NanMax.into()] } else { vec![MinMax.into()] }
}

/// The ends of what is on the GPU.
pub(super) fn of_all(reducer: &GpuReducer, elements: &AnySlices<'_>) -> Result<[Number; 2]> {
    let operations = operations(elements.element());
    let start = |one: &Chosen| reducer.reduce(&one.any, elements.clone()).start();
    both(operations.iter().map(start).collect::<Result<_>>()?)
}

/// What is shown elements that pass through.
pub(super) struct Ends(Vec<AnyStream<Figures>>);

impl Ends {
    pub(super) fn new(reducer: &GpuReducer, element: ElementKind, memory: Memory) -> Result<Self> {
        let operations = operations(element);
        let memory = if operations.len() > 1 { memory.half() } else { memory };
        let options = memory.options();
        let stream = |one: &Chosen| AnyStream::new(reducer, &one.any, element, &options);
        Ok(Self(operations.iter().map(stream).collect::<Result<_>>()?))
    }

    /// The ends of what has passed through.
    pub(super) fn found(self) -> Result<[Number; 2]> {
        both(self.0.into_iter().map(AnyStream::finish).collect::<Result<_>>()?)
    }
}

impl<T: Sample> Sink<T> for Ends {
    fn push(&mut self, elements: &[T]) -> Result<()> {
        let bytes = bytemuck::cast_slice(elements);
        self.0.iter_mut().try_for_each(|stream| stream.push(&[bytes]))
    }
}

/// The least and the largest, of one result or of two.
fn both(results: Vec<Pending<Figures>>) -> Result<[Number; 2]> {
    let figures: Vec<_> = results.into_iter().map(Pending::wait).collect::<Result<_>>()?;
    let ends: Vec<_> = figures.iter().flat_map(Figures::iter).map(|(_, end)| end).collect();
    match ends[..] {
        [low, high] => Ok([low, high]),
        _ => Err(Error::Internal { message: "there are not two ends".into() }),
    }
}

/// As `numpy.histogram` has it, but that NaN does not count: of no elements from 0 to 1, and none if an element is
/// infinite, or if all are NaN.
pub(super) fn ends(
    found: Result<[Number; 2]>,
    file: &str,
) -> std::result::Result<[Number; 2], Failure> {
    if matches!(found, Err(Error::Empty { .. })) {
        return Ok([0.0, 1.0].map(Number::F64));
    }
    let [low, high] = found?;
    if [low, high].iter().all(|end| end.to_f64().is_finite()) {
        return Ok([low, high]);
    }
    let what = if low.to_f64().is_nan() {
        "elements that are all NaN need --range or --edges".into()
    } else {
        format!("infinite elements, here from {low} to {high}, need --range or --edges")
    };
    Err(Failure::Usage(format!("{file}: {what}")))
}

/// From the one to the other; where an `f64` does not hold an end, from or to the next farther out.
pub(super) fn extent([low, high]: [Number; 2]) -> Range<f64> {
    let ([low, _], [_, high]) = (low.around(), high.around());
    low..high
}
