//! What elements are pushed to that pass through.

use crate::sample::Sample;
use wgpu_reduce::{
    Binned, ExactPairStream, ExactStream, HistogramStream, Operation, PairOperation, PairStream,
    Result, Stream,
};

/// What elements of one input are pushed to.
pub(crate) trait Sink<T> {
    fn push(&mut self, elements: &[T]) -> Result<()>;
}

impl<T: Sample, O: Operation<T>> Sink<T> for Stream<T, O> {
    fn push(&mut self, elements: &[T]) -> Result<()> {
        Stream::push(self, elements)
    }
}

impl Sink<f32> for ExactStream {
    fn push(&mut self, elements: &[f32]) -> Result<()> {
        Self::push(self, elements)
    }
}

impl<T: Sample + Binned> Sink<T> for HistogramStream<T> {
    fn push(&mut self, elements: &[T]) -> Result<()> {
        Self::push(self, elements)
    }
}

/// Both are shown all elements.
impl<T, A: Sink<T>, B: Sink<T>> Sink<T> for (A, B) {
    fn push(&mut self, elements: &[T]) -> Result<()> {
        self.0.push(elements)?;
        self.1.push(elements)
    }
}

/// What elements of two inputs are pushed to.
pub(crate) trait PairSink<T> {
    fn push(&mut self, left: &[T], right: &[T]) -> Result<()>;
}

impl<T: Sample, O: PairOperation<T>> PairSink<T> for PairStream<T, O> {
    fn push(&mut self, left: &[T], right: &[T]) -> Result<()> {
        PairStream::push(self, left, right)
    }
}

impl PairSink<f32> for ExactPairStream {
    fn push(&mut self, left: &[f32], right: &[f32]) -> Result<()> {
        Self::push(self, left, right)
    }
}
