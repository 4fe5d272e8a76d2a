//! Two streams whose elements are paired.

use crate::api::pending::Pending;
use crate::api::reducer::GpuReducer;
use crate::api::stream::calls::finish;
use crate::api::stream::feed::{Feed, takes};
use crate::api::stream::folded::Folded;
use crate::error::{Error, Result};
use crate::op::element::Element;
use crate::op::{Fold, PairOperation};
use crate::plan::planned::Plan;
use crate::plan::shapes::chunks::options::StreamOptions;
use std::marker::PhantomData;

/// A reduction of pairs of elements that come in pieces. It is to
/// pairs what [`Stream`](crate::Stream) is to elements.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Dot, PairStream, StreamOptions};
///
/// let mut stream = PairStream::new(&reducer, Dot, &StreamOptions::default())?;
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

impl<T: Element, O: PairOperation<T>> PairStream<T, O> {
    /// Starts a reduction of pairs of elements that will come in pieces.
    ///
    /// # Errors
    ///
    /// As [`GpuReducer::stream`].
    pub fn new(reducer: &GpuReducer, operation: O, options: &StreamOptions) -> Result<Self> {
        let feed = reducer.feed(operation.record(), T::KIND, 2, *options)?;
        Ok(Self { feed, operation, elements: PhantomData })
    }

    /// What runs over so many pairs in all, as [`Stream::plan`](crate::Stream::plan) has it of elements.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn plan(&self, len: u64) -> Result<Plan> {
        self.feed.consumer().plan(len)
    }

    takes! {
        "Pairs" of self.feed;
        /// Takes the next elements of both inputs; otherwise as [`Stream::push`](crate::Stream::push).
        /// Not in browsers.
        ///
        /// # Errors
        ///
        /// [`Error::LengthMismatch`] if there are more of one than of the other, which are then not taken; otherwise as
        /// [`Stream::push`](crate::Stream::push).
        push(left: &[T], right: &[T]) => inputs(left, right)?
    }

    /// Ends the stream, and starts what leaves the result; of no pairs that is the operation's, as 0 of
    /// [`Dot`](crate::Dot).
    ///
    /// # Errors
    ///
    /// As [`Stream::finish`](crate::Stream::finish).
    pub fn finish(self) -> Result<Pending<O::Output>> {
        let finisher = <O as Fold<(T, T)>>::finisher(&self.operation);
        finish(self.feed, T::KIND, finisher)
    }
}

/// The bytes of both, if they can be paired.
pub(crate) fn inputs<'a, T: Element>(left: &'a [T], right: &'a [T]) -> Result<[&'a [u8]; 2]> {
    let lens = [left, right].map(|input| input.len() as u64);
    let [a, b] = lens;
    if a != b {
        return Err(Error::LengthMismatch { left: a, right: b });
    }
    Ok([bytemuck::cast_slice(left), bytemuck::cast_slice(right)])
}
