//! Exact sums of streams: each chunk's comes back, and the host merges them.

use super::feed::{Consumer, Feed};
use super::options::{SLOTS, StreamOptions};
use super::ring::{Ring, Way};
use crate::buffer::GpuBuffer;
use crate::element::{Element as _, ElementKind};
use crate::error::{Error, Result};
use crate::exact::ExactSum;
use crate::pending::Pending;
use crate::reducer::GpuReducer;
use std::collections::VecDeque;

/// The exact sum of `f32` that come in pieces: made by [`GpuReducer::stream_exact`].
///
/// It is used as a [`Stream`](crate::Stream) is, and what comes out is the [`ExactSum`] of all elements: the same
/// bits as if they had been one buffer, however they were cut, on every device.
///
/// ```no_run
/// # async fn run(reducer: &wgpu_reduce::GpuReducer) -> wgpu_reduce::Result<()> {
/// use wgpu_reduce::StreamOptions;
///
/// let mut stream = reducer.stream_exact(&StreamOptions::default())?;
/// for piece in [&[1e30_f32, 1.0][..], &[-1e30]] {
///     stream.push_async(piece).await?;
/// }
/// let sum = stream.finish()?.await?;
/// assert_eq!((sum.round(), sum.count()), (1.0, 3));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ExactStream(pub(super) Feed<Sums>);

/// The exact dot product of two streams of `f32`: made by [`GpuReducer::stream_pair_exact`]. It is to
/// [`ExactStream`] what [`PairStream`](crate::PairStream) is to [`Stream`](crate::Stream).
///
/// ```no_run
/// # fn run(reducer: &wgpu_reduce::GpuReducer) -> wgpu_reduce::Result<()> {
/// use wgpu_reduce::StreamOptions;
///
/// let mut stream = reducer.stream_pair_exact(&StreamOptions::default())?;
/// stream.push(&[3e38, 1.0], &[2e38, 1e-30])?;
/// stream.push(&[-3e38], &[2e38])?;
/// assert_eq!(stream.finish()?.wait()?.round(), 1e-30);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ExactPairStream(Feed<Sums>);

/// Sums of chunks.
#[derive(Debug)]
pub(super) struct Sums {
    reducer: GpuReducer,
    inputs: usize,
    chunk_len: u64,
    /// Of chunks that have come back.
    sum: ExactSum,
    in_flight: VecDeque<Pending<ExactSum>>,
}

impl GpuReducer {
    /// Starts an exact sum of elements that will come in pieces.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn stream_exact(&self, options: &StreamOptions) -> Result<ExactStream> {
        Ok(ExactStream(self.feed_exact(1, *options)?))
    }

    /// Starts an exact dot product of elements that will come in pieces.
    ///
    /// # Errors
    ///
    /// As [`stream_exact`](Self::stream_exact).
    pub fn stream_pair_exact(&self, options: &StreamOptions) -> Result<ExactPairStream> {
        Ok(ExactPairStream(self.feed_exact(2, *options)?))
    }

    fn feed_exact(&self, inputs: usize, options: StreamOptions) -> Result<Feed<Sums>> {
        let chunk_len = options.chunk_len(ElementKind::F32, inputs as u64, &self.context.caps);
        let ring = self.ring(inputs, chunk_len * ElementKind::F32.size_bytes())?;
        let (sum, in_flight) = (ExactSum::new(), VecDeque::with_capacity(SLOTS + 1));
        let sums = Sums { reducer: self.clone(), inputs, chunk_len, sum, in_flight };
        Ok(Feed::new(ring, sums, size_of::<f32>()))
    }

    /// The exact sum of the elements of all chunks: that of one buffer with all of them, to the last bit. No more
    /// than [`StreamOptions::default`] says is in memory at a time.
    ///
    /// ```no_run
    /// # fn run(reducer: &wgpu_reduce::GpuReducer) -> wgpu_reduce::Result<()> {
    /// let chunks = (0..1000).map(|_| [0.1_f32; 1000]);
    /// let sum = reducer.reduce_exact_stream(chunks)?;
    /// assert_eq!((sum.round(), sum.mean()?), (100_000.0, 0.1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`stream_exact`](Self::stream_exact), and [`Error::Timeout`] where there is a deadline.
    #[cfg(not(target_family = "wasm"))]
    pub fn reduce_exact_stream<C: AsRef<[f32]>>(
        &self,
        chunks: impl IntoIterator<Item = C>,
    ) -> Result<ExactSum> {
        let mut stream = self.stream_exact(&StreamOptions::default())?;
        for chunk in chunks {
            stream.push(chunk.as_ref())?;
        }
        stream.finish()?.wait()
    }
}

impl ExactStream {
    /// Elements taken so far.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.0.len()
    }

    /// Whether none has been taken.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the next elements; as [`Stream::push`](crate::Stream::push).
    ///
    /// # Errors
    ///
    /// As [`Stream::push`](crate::Stream::push).
    #[cfg(not(target_family = "wasm"))]
    pub fn push(&mut self, elements: &[f32]) -> Result<()> {
        pollster::block_on(self.0.push(Way::Block, &mut [bytemuck::cast_slice(elements)]))
    }

    /// Takes the next elements; as [`Stream::push_async`](crate::Stream::push_async).
    ///
    /// # Errors
    ///
    /// As [`Stream::push`](crate::Stream::push).
    pub async fn push_async(&mut self, elements: &[f32]) -> Result<()> {
        self.0.push(Way::Await, &mut [bytemuck::cast_slice(elements)]).await
    }

    /// Ends the stream. Of no elements the sum is that of none.
    ///
    /// # Errors
    ///
    /// What a push has failed with, and what can be told before the result is there.
    pub fn finish(self) -> Result<Pending<ExactSum>> {
        finish(self.0)
    }
}

impl ExactPairStream {
    /// Pairs taken so far.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.0.len()
    }

    /// Whether none has been taken.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the next elements of both inputs; as [`PairStream::push`](crate::PairStream::push).
    ///
    /// # Errors
    ///
    /// As [`PairStream::push`](crate::PairStream::push).
    #[cfg(not(target_family = "wasm"))]
    pub fn push(&mut self, left: &[f32], right: &[f32]) -> Result<()> {
        let mut inputs = super::pairs::inputs(left, right)?;
        pollster::block_on(self.0.push(Way::Block, &mut inputs))
    }

    /// Takes the next elements of both inputs; as [`PairStream::push_async`](crate::PairStream::push_async).
    ///
    /// # Errors
    ///
    /// As [`PairStream::push`](crate::PairStream::push).
    pub async fn push_async(&mut self, left: &[f32], right: &[f32]) -> Result<()> {
        self.0.push(Way::Await, &mut super::pairs::inputs(left, right)?).await
    }

    /// Ends the stream; as [`ExactStream::finish`].
    ///
    /// # Errors
    ///
    /// As [`ExactStream::finish`].
    pub fn finish(self) -> Result<Pending<ExactSum>> {
        finish(self.0)
    }
}

impl Consumer for Sums {
    fn submit(&mut self, ring: &mut Ring, _: u64, len: u64) -> Result<()> {
        let chunk = ring.submit(&mut |_, _| Ok(()))?;
        let left = GpuBuffer::<f32>::from_wgpu(chunk.clone(), 0, len)?;
        let pending = if self.inputs == 2 {
            let offset = self.chunk_len * f32::KIND.size_bytes();
            let right = GpuBuffer::from_wgpu(chunk, offset, len)?;
            self.reducer.reduce_pair_exact(&left, &right)?
        } else {
            self.reducer.reduce_exact(&left)?
        };
        self.in_flight.push_back(pending);
        Ok(())
    }

    async fn settle(&mut self, way: Way) -> Result<()> {
        while self.in_flight.len() > SLOTS {
            let sum = match way {
                #[cfg(not(target_family = "wasm"))]
                Way::Block => self.in_flight.pop_front().map(Pending::wait).transpose()?,
                // It stays until its sum is there: whoever awaits this may give up.
                Way::Await => match self.in_flight.front_mut() {
                    Some(oldest) => {
                        let sum = oldest.await?;
                        self.in_flight.pop_front();
                        Some(sum)
                    }
                    None => None,
                },
            };
            self.sum += &sum.unwrap_or_default();
        }
        Ok(())
    }
}

fn finish(feed: Feed<Sums>) -> Result<Pending<ExactSum>> {
    let (Sums { reducer, sum, mut in_flight, .. }, _) = feed.finish()?;
    if in_flight.is_empty() {
        let none = reducer.alloc::<f32>(0)?;
        in_flight.push_back(reducer.reduce_exact(&none)?);
    }
    merged(sum, in_flight)
}

/// What comes when the rest has come, one after another.
pub(crate) fn merged(
    sum: ExactSum,
    mut rest: VecDeque<Pending<ExactSum>>,
) -> Result<Pending<ExactSum>> {
    let next = rest.pop_front();
    let next = next.ok_or_else(|| Error::Internal { message: "nothing is in flight".into() })?;
    let add = move |part: ExactSum| {
        let mut sum = sum;
        sum += &part;
        sum
    };
    if rest.is_empty() {
        return next.map(add);
    }
    next.followed(move |part| merged(add(part), rest))
}
