//! What elements are pushed to that pass through.

use crate::figures::Figures;
use crate::sample::Sample;
use wgpu_reduce::{
    AnyStream, ExactElement, ExactPairStream, ExactStream, HistogramStream, OrderStatistic,
    RankStream, Ranked, Result,
};

/// What elements of one input are pushed to.
pub(crate) trait Sink<T> {
    fn push(&mut self, elements: &[T]) -> Result<()>;
}

impl<T: Sample> Sink<T> for AnyStream<Figures> {
    fn push(&mut self, elements: &[T]) -> Result<()> {
        Self::push(self, &[bytemuck::cast_slice(elements)])
    }
}

impl<T: ExactElement> Sink<T> for ExactStream<T> {
    fn push(&mut self, elements: &[T]) -> Result<()> {
        Self::push(self, elements)
    }
}

impl<T: Sample> Sink<T> for HistogramStream<T> {
    fn push(&mut self, elements: &[T]) -> Result<()> {
        Self::push(self, elements)
    }
}

impl<T: Sample + Ranked, S: OrderStatistic<T>> Sink<T> for RankStream<T, S> {
    fn push(&mut self, elements: &[T]) -> Result<()> {
        Self::push(self, elements)
    }
}

/// What elements of two inputs are pushed to.
pub(crate) trait PairSink<T> {
    fn push(&mut self, left: &[T], right: &[T]) -> Result<()>;
}

impl<T: Sample> PairSink<T> for AnyStream<Figures> {
    fn push(&mut self, left: &[T], right: &[T]) -> Result<()> {
        Self::push(self, &[bytemuck::cast_slice(left), bytemuck::cast_slice(right)])
    }
}

impl<T: ExactElement> PairSink<T> for ExactPairStream<T> {
    fn push(&mut self, left: &[T], right: &[T]) -> Result<()> {
        Self::push(self, left, right)
    }
}
