//! Exact sums of streams: each chunk's comes back, and the host merges them.

use crate::api::buffer::GpuBuffer;
use crate::api::pending::Pending;
use crate::api::reducer::GpuReducer;
use crate::api::stream::feed::{Feed, takes};
use crate::api::stream::merging::{self, Merge, Merging};
use crate::api::stream::pairs::inputs;
use crate::error::Result;
use crate::exact::{ExactElement, ExactSum};
use crate::op::{DotExact, SumExact};
use crate::plan::shapes::chunks::options::StreamOptions;
use std::marker::PhantomData;

/// The exact sum of `f32` or `f64` that come in pieces.
///
/// It is used as a [`Stream`](crate::Stream) is, and what comes out is the [`ExactSum`] of all elements: the same
/// bits as if they had been one buffer, however they were cut, on every device.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// # pollster::block_on(async {
/// use wgpu_reduce::{ExactStream, StreamOptions};
///
/// let mut stream = ExactStream::new(&reducer, &StreamOptions::default())?;
/// for piece in [&[1e30_f32, 1.0][..], &[-1e30]] {
///     stream.push_async(piece).await?;
/// }
/// let sum = stream.finish()?.await?;
/// assert_eq!((sum.round(), sum.count()), (1.0, 3));
/// # Ok::<(), wgpu_reduce::Error>(())
/// # })?;
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug)]
pub struct ExactStream<T: ExactElement = f32>(Feed<Merging<Sums<T>>>);

/// The exact dot product of two streams of `f32` or `f64`. It is to
/// [`ExactStream`] what [`PairStream`](crate::PairStream) is to [`Stream`](crate::Stream).
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{ExactPairStream, StreamOptions};
///
/// let mut stream = ExactPairStream::new(&reducer, &StreamOptions::default())?;
/// stream.push(&[3e38_f32, 1.0], &[2e38, 1e-30])?;
/// stream.push(&[-3e38], &[2e38])?;
/// assert_eq!(stream.finish()?.wait()?.round(), 1e-30);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug)]
pub struct ExactPairStream<T: ExactElement = f32>(Feed<Merging<Products<T>>>);

/// Sums of chunks.
#[derive(Debug)]
pub(crate) struct Sums<T> {
    reducer: GpuReducer,
    elements: PhantomData<T>,
}

/// Dot products of chunks.
#[derive(Debug)]
pub(crate) struct Products<T> {
    reducer: GpuReducer,
    chunk_len: u64,
    elements: PhantomData<T>,
}

impl<T: ExactElement> ExactStream<T> {
    /// Starts an exact sum of elements that will come in pieces.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{ExactStream, StreamOptions};
    ///
    /// let mut stream = ExactStream::new(&reducer, &StreamOptions::new(1 << 20))?;
    /// stream.push(&[1e30_f32, 1.0])?;
    /// stream.push(&[-1e30])?;
    /// assert_eq!((stream.len(), stream.finish()?.wait()?.round()), (3, 1.0));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::DeviceLost`](crate::Error::DeviceLost).
    pub fn new(reducer: &GpuReducer, options: &StreamOptions) -> Result<Self> {
        let chunk_len = options.chunk_len(T::KIND, 1, &reducer.context.caps);
        let ring = reducer.ring(1, chunk_len * T::KIND.size_bytes())?;
        let sums = Sums { reducer: reducer.clone(), elements: PhantomData };
        Ok(Self(Feed::new(ring, Merging::new(sums, ExactSum::new()), size_of::<T>())))
    }

    takes! {
        "Elements" of self.0;
        /// Takes the next elements; as [`Stream::push`](crate::Stream::push).
        /// Not in browsers.
        ///
        /// # Errors
        ///
        /// As [`Stream::push`](crate::Stream::push).
        push(elements: &[T]) => [bytemuck::cast_slice(elements)]
    }

    /// Ends the stream. Of no elements the sum is that of none.
    ///
    /// # Errors
    ///
    /// What a push has failed with, and what can be told before the result is there.
    pub fn finish(self) -> Result<Pending<ExactSum<T>>> {
        merging::finish(self.0)
    }
}

impl<T: ExactElement> ExactPairStream<T> {
    /// Starts an exact dot product of elements that will come in pieces.
    ///
    /// # Errors
    ///
    /// As [`ExactStream::new`].
    pub fn new(reducer: &GpuReducer, options: &StreamOptions) -> Result<Self> {
        let chunk_len = options.chunk_len(T::KIND, 2, &reducer.context.caps);
        let ring = reducer.ring(2, chunk_len * T::KIND.size_bytes())?;
        let products = Products { reducer: reducer.clone(), chunk_len, elements: PhantomData };
        Ok(Self(Feed::new(ring, Merging::new(products, ExactSum::new()), size_of::<T>())))
    }

    takes! {
        "Pairs" of self.0;
        /// Takes the next elements of both inputs; as [`PairStream::push`](crate::PairStream::push).
        /// Not in browsers.
        ///
        /// # Errors
        ///
        /// As [`PairStream::push`](crate::PairStream::push).
        push(left: &[T], right: &[T]) => inputs(left, right)?
    }

    /// Ends the stream; as [`ExactStream::finish`].
    ///
    /// # Errors
    ///
    /// As [`ExactStream::finish`].
    pub fn finish(self) -> Result<Pending<ExactSum<T>>> {
        merging::finish(self.0)
    }
}

impl<T: ExactElement> Merge for Sums<T> {
    type Value = ExactSum<T>;

    fn start(&self, chunk: wgpu::Buffer, len: u64) -> Result<Pending<ExactSum<T>>> {
        let elements = GpuBuffer::<T>::from_wgpu(chunk, 0, len)?;
        self.reducer.reduce(SumExact, &elements).unrounded().start()
    }

    fn start_of_none(&self) -> Result<Pending<ExactSum<T>>> {
        let nothing = self.reducer.alloc::<T>(0)?;
        self.reducer.reduce(SumExact, &nothing).unrounded().start()
    }

    fn add(sum: &mut ExactSum<T>, part: ExactSum<T>) {
        *sum += &part;
    }
}

impl<T: ExactElement> Merge for Products<T> {
    type Value = ExactSum<T>;

    fn start(&self, chunk: wgpu::Buffer, len: u64) -> Result<Pending<ExactSum<T>>> {
        let left = GpuBuffer::<T>::from_wgpu(chunk.clone(), 0, len)?;
        let offset = self.chunk_len * T::KIND.size_bytes();
        let right = GpuBuffer::from_wgpu(chunk, offset, len)?;
        self.reducer.reduce(DotExact, (&left, &right)).unrounded().start()
    }

    fn start_of_none(&self) -> Result<Pending<ExactSum<T>>> {
        let nothing = self.reducer.alloc::<T>(0)?;
        self.reducer.reduce(DotExact, (&nothing, &nothing)).unrounded().start()
    }

    fn add(sum: &mut ExactSum<T>, part: ExactSum<T>) {
        *sum += &part;
    }
}
