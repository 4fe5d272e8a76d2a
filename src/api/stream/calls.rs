//! Streams of elements of one input.

use crate::api::pending::{Finish, Pending};
use crate::api::reducer::GpuReducer;
use crate::api::stream::feed::{Feed, takes};
use crate::api::stream::folded::Folded;
use crate::api::stream::ring::Ring;
use crate::error::{Error, Result};
use crate::op::element::{Element, ElementKind};
use crate::op::fold::{Finisher, Left};
use crate::op::{Fold, OpRecord, Operation};
use crate::plan::planned::Plan;
use crate::plan::shapes::chunks::options::StreamOptions;
use crate::plan::shapes::chunks::plan::StreamPlan;
use std::marker::PhantomData;

/// A reduction of elements that come in pieces, and may be more than any memory holds: made by
/// [`GpuReducer::stream`].
///
/// The elements taken so far are reduced, piece by piece, as if they were one input: pieces may be of any length,
/// are copied when they are pushed, and become chunks of one length. While the device copies and reduces a chunk,
/// the host fills the next; what is in memory stays within
/// [`StreamOptions::bytes_in_flight`]. Each chunk leaves one accumulator on the device, and these are
/// combined there by the operation's own combine.
///
/// So results are those of one input with all elements: of integers, extremes, indices (which are `u64`), counts and
/// exact sums with the same bits. Floats that round have another order of additions: the result depends on the
/// elements, on the length of chunks and on the tuning, and not on how the elements were cut into pieces or on
/// what arrived first, and [`plan`](Self::plan) bounds its error. NaN, ties and no elements are as the
/// operation defines them.
///
/// After an error of the device the stream is of no more use, and says the same error again.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// # pollster::block_on(async {
/// use wgpu_reduce::{ArgMax, StreamOptions};
///
/// let mut stream = reducer.stream(ArgMax, &StreamOptions::default())?;
/// for piece in [&[3.0_f32, 1.0][..], &[], &[7.0]] {
///     // Where nothing may block; `push` does.
///     stream.push_async(piece).await?;
/// }
/// let max = stream.finish()?.await?;
/// assert_eq!((max.index, max.value), (2, 7.0));
/// # Ok::<(), wgpu_reduce::Error>(())
/// # })?;
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream<T, O> {
    pub(crate) feed: Feed<Folded>,
    operation: O,
    /// The first bytes of an element that a reader has ended in.
    pub(crate) rest: Vec<u8>,
    elements: PhantomData<fn(T)>,
}

impl GpuReducer {
    /// Starts a reduction of elements that will come in pieces. All memory for them is taken here.
    ///
    /// [`Stream`] says what results are worth, of no elements, too.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{StreamOptions, Sum};
    ///
    /// let mut stream = reducer.stream(Sum, &StreamOptions::new(1 << 20))?;
    /// stream.push(&[1_u32, 2])?;
    /// stream.push(&[3])?;
    /// assert_eq!(stream.finish()?.wait()?, 6);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if there is not as much as the options say, [`Error::DeviceLost`],
    /// [`Error::Unsupported`] as [`reduce`](Self::reduce), [`Error::InvalidTuning`]. Pieces, or the end, are refused with
    /// [`Error::InvalidBuffer`] where a result cannot be of so many elements, as one of [`SumExact`](crate::SumExact) of more
    /// than 2^42.
    pub fn stream<T: Element, O: Operation<T>>(
        &self,
        operation: O,
        options: &StreamOptions,
    ) -> Result<Stream<T, O>> {
        let feed = self.feed(operation.record(), T::KIND, 1, *options)?;
        Ok(Stream { feed, operation, rest: Vec::new(), elements: PhantomData })
    }

    /// Reduces the elements of all pieces, as if they were one input; see [`Stream`]. No more than
    /// [`StreamOptions::default`] says is in memory at a time, besides the piece at hand.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let pieces = (0..1000_u32).map(|number| [number; 10]);
    /// assert_eq!(reducer.reduce_stream(Sum, pieces)?, 4_995_000_u64);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`stream`](Self::stream); [`Error::Empty`] if there are no elements and the operation has no result then;
    /// [`Error::Timeout`] where there is a deadline.
    #[cfg(not(target_family = "wasm"))]
    pub fn reduce_stream<T: Element, O: Operation<T>, C: AsRef<[T]>>(
        &self,
        operation: O,
        pieces: impl IntoIterator<Item = C>,
    ) -> Result<O::Output> {
        let mut stream = self.stream(operation, &StreamOptions::default())?;
        for piece in pieces {
            stream.push(piece.as_ref())?;
        }
        stream.finish()?.wait()
    }

    pub(crate) fn stream_plan(
        &self,
        operation: &'static OpRecord,
        element: ElementKind,
        inputs: usize,
        options: StreamOptions,
    ) -> Result<StreamPlan> {
        let len = options.chunk_len(element, inputs as u64, &self.context.caps);
        let tuning = self.tuning(operation, element, len);
        StreamPlan::new((operation, element), (inputs, len), tuning, &self.context.caps)
    }

    pub(crate) fn feed(
        &self,
        operation: &'static OpRecord,
        element: ElementKind,
        inputs: usize,
        options: StreamOptions,
    ) -> Result<Feed<Folded>> {
        let plan = self.stream_plan(operation, element, inputs, options);
        let plan = plan.map_err(|error| self.with_adapter(error))?;
        let ring = self.ring(inputs, plan.chunk_bytes())?;
        let element_bytes = usize::try_from(element.size_bytes()).unwrap_or(1);
        Ok(Feed::new(ring, Folded::new(self, plan)?, element_bytes))
    }

    pub(crate) fn ring(&self, inputs: usize, chunk_bytes: u64) -> Result<Ring> {
        Ring::new(
            &self.context,
            inputs,
            chunk_bytes,
            #[cfg(not(target_family = "wasm"))]
            self.patience(),
        )
    }
}

impl<T: Element, O: Operation<T>> Stream<T, O> {
    /// What runs over so many elements in all: the passes of one chunk, then those that fold what chunks leave, as often as
    /// there is enough to fold.
    ///
    /// [`Plan::roundings`] is that of the whole, so that [`Accuracy::error_bound`](crate::Accuracy::error_bound) and
    /// [`Operation::tolerance`] bound the error of a stream as they do that of one input.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Stream, StreamOptions, Sum};
    ///
    /// let stream: Stream<f32, _> = reducer.stream(Sum, &StreamOptions::default())?;
    /// let plan = stream.plan(1 << 30)?;
    /// println!("{plan}, {} roundings of an element at most", plan.roundings);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`GpuReducer::stream`].
    pub fn plan(&self, len: u64) -> Result<Plan> {
        self.feed.consumer().plan(len)
    }

    takes! {
        "Elements" of self.feed;
        /// Takes the next elements, as many as there are; no elements change nothing. It blocks while the device is at
        /// work on chunks that there would be no room beside.
        ///
        /// The elements are copied: they may be changed or dropped when the call returns. How they are cut into pieces has no
        /// effect on the result.
        /// Not in browsers.
        ///
        /// ```
        /// # let reducer = wgpu_reduce::GpuReducer::new()?;
        /// use wgpu_reduce::{Max, StreamOptions};
        ///
        /// let mut stream = reducer.stream(Max, &StreamOptions::new(1 << 20))?;
        /// let mut piece = vec![0.0_f32; 1000];
        /// for number in 0..5_u8 {
        ///     piece.fill(number.into());
        ///     stream.push(&piece)?;
        /// }
        /// assert_eq!((stream.len(), stream.finish()?.wait()?), (5000, 4.0));
        /// # Ok::<(), wgpu_reduce::Error>(())
        /// ```
        ///
        /// # Errors
        ///
        /// Whatever the device reports of this chunk or an earlier one, [`Error::DeviceLost`], [`Error::OutOfMemory`],
        /// [`Error::Timeout`] where there is a deadline; [`Error::InvalidBytes`] if a reader has
        /// [ended](Self::read_from) within an element.
        push(elements: &[T]) => {
            self.check_rest()?;
            [bytemuck::cast_slice(elements)]
        }
    }

    /// Fails if something of an element is left that never became one.
    fn check_rest(&self) -> Result<()> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let (len, bytes, element) = (self.len(), self.rest.len(), T::KIND);
        let what = format!("of element {len} of {element} there are only {bytes} bytes");
        Err(Error::InvalidBytes { what })
    }

    /// Ends the stream, and starts what leaves the result.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Error, Max, StreamOptions, Sum};
    ///
    /// let options = StreamOptions::new(1 << 20);
    /// assert_eq!(reducer.stream::<u32, _>(Sum, &options)?.finish()?.wait()?, 0);
    /// let none = reducer.stream::<u32, _>(Max, &options)?.finish();
    /// assert_eq!(none.err(), Some(Error::Empty { operation: "max" }));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if there were no elements and the operation has no result then; what a push has failed with;
    /// [`Error::InvalidBytes`] if a reader has ended within an element; and what can be told before the result is
    /// there, as [`reduce`](GpuReducer::reduce).
    pub fn finish(self) -> Result<Pending<O::Output>> {
        self.check_rest()?;
        let finisher = <O as Fold<T>>::finisher(&self.operation);
        finish(self.feed, T::KIND, finisher)
    }
}

/// Starts what leaves the result.
pub(crate) fn finish<R: 'static>(
    feed: Feed<Folded>,
    element: ElementKind,
    finisher: Finisher<R>,
) -> Result<Pending<R>> {
    let (folded, len) = feed.finish()?;
    let finish: Finish<R> =
        Box::new(move |bytes| finisher.finish(Left { bytes, element, len, digits: None }));
    Ok(Pending::new(folded.finish(len)?, finish))
}
