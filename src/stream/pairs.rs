//! Two streams whose elements are paired.

use super::calls::Finishing;
use super::feed::Feed;
use super::folded::Folded;
use super::options::StreamOptions;
use crate::decode;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::op::PairOperation;
use crate::pending::Pending;
use crate::planned::{Plan, Planned};
use crate::reducer::GpuReducer;
use std::marker::PhantomData;

/// A reduction of pairs of elements that come in pieces: made by [`GpuReducer::stream_pair`]. It is to
/// pairs what [`Stream`](crate::Stream) is to elements.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Dot, StreamOptions};
///
/// let mut stream = reducer.stream_pair(Dot, &StreamOptions::default())?;
/// stream.push(&[1_i32, 2], &[4, -5])?;
/// stream.push(&[3], &[6])?;
/// assert_eq!(stream.finish()?.wait()?, 12);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug)]
pub struct PairStream<T, O> {
    feed: Feed<Folded>,
    operation: O,
    elements: PhantomData<fn(T)>,
}

impl GpuReducer {
    /// Starts a reduction of pairs of elements that will come in pieces; [`PairStream`] has an example.
    ///
    /// # Errors
    ///
    /// As [`stream`](Self::stream).
    pub fn stream_pair<T: Element, O: PairOperation<T>>(
        &self,
        operation: O,
        options: &StreamOptions,
    ) -> Result<PairStream<T, O>> {
        let feed = self.feed(operation.record(), T::KIND, 2, *options)?;
        Ok(PairStream { feed, operation, elements: PhantomData })
    }

    /// What [`stream_pair`](Self::stream_pair) would run for so many pairs; [`plan_stream`](Self::plan_stream) has an example.
    ///
    /// # Errors
    ///
    /// As [`plan_stream`](Self::plan_stream).
    pub fn plan_stream_pair<T: Element, O: PairOperation<T>>(
        &self,
        operation: O,
        len: u64,
        options: &StreamOptions,
    ) -> Result<Plan> {
        self.stream_plan(operation.record(), T::KIND, 2, *options)
            .and_then(|plan| plan.whole(len))
            .map(|plan| Plan::new(Planned::Whole(plan), &self.context.caps))
            .map_err(|error| self.with_adapter(error))
    }
}

impl<T: Element, O: PairOperation<T>> PairStream<T, O> {
    /// Pairs taken so far.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.feed.len()
    }

    /// Whether none has been taken.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the next elements of both inputs; otherwise as [`Stream::push`](crate::Stream::push).
    /// Not in browsers.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if there are more of one than of the other, which are then not taken; otherwise as
    /// [`Stream::push`](crate::Stream::push).
    #[cfg(not(target_family = "wasm"))]
    pub fn push(&mut self, left: &[T], right: &[T]) -> Result<()> {
        self.feed.push(&mut inputs(left, right)?)
    }

    /// Takes the next elements of both inputs; otherwise as [`Stream::push_async`](crate::Stream::push_async).
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub async fn push_async(&mut self, left: &[T], right: &[T]) -> Result<()> {
        self.feed.push_async(&mut inputs(left, right)?).await
    }

    /// Ends the stream, and starts what leaves the result; of no pairs that is the operation's, as 0 of
    /// [`Dot`](crate::Dot).
    ///
    /// # Errors
    ///
    /// As [`Stream::finish`](crate::Stream::finish).
    pub fn finish(self) -> Result<Pending<O::Output>> {
        let operation = self.operation;
        let finish: Finishing<O::Output> =
            Box::new(move |bytes, len| operation.finish(decode::value(bytes)?, len));
        super::calls::finish(self.feed, finish)
    }
}

/// The bytes of both, if they can be paired.
pub(super) fn inputs<'a, T: Element>(left: &'a [T], right: &'a [T]) -> Result<[&'a [u8]; 2]> {
    let lens = [left, right].map(|input| input.len() as u64);
    let [a, b] = lens;
    if a != b {
        return Err(Error::LengthMismatch { left: a, right: b });
    }
    Ok([bytemuck::cast_slice(left), bytemuck::cast_slice(right)])
}
