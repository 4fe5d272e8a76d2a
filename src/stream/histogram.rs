//! Histograms of streams: chunks are counted into totals on the device.

use super::feed::{Consumer, Feed};
use super::options::StreamOptions;
use super::ring::{Ring, Way};
use crate::encode::{Ends, record};
use crate::error::Result;
use crate::histogram::result::Layout;
use crate::histogram::{Binned, Bins, Histogram, HistogramPlan, HistogramRequest, HistogramTuning};
use crate::part::Part;
use crate::pending::{Finish, Pending};
use crate::recording::Recording;
use crate::reducer::GpuReducer;
use std::borrow::Cow;
use std::marker::PhantomData;

/// The histograms of elements that come in pieces: made by
/// [`GpuReducer::stream_histogram`] and [`GpuReducer::stream_histogram_channels`].
///
/// It is used as a [`Stream`](crate::Stream) is, and what comes out is what
/// a [request](crate::Request::channels) counts of all elements in one buffer, however they were cut. NaN and
/// what lies outside the bins is counted apart, on every device alike.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// # pollster::block_on(async {
/// use wgpu_reduce::{Bins, StreamOptions};
///
/// let bins = Bins::even(0..256, 256)?;
/// let mut stream = reducer.stream_histogram_channels(3, &bins, &StreamOptions::default())?;
/// // Pieces may end inside a pixel.
/// for piece in [&[255_u8, 0, 0, 255][..], &[255, 0]] {
///     stream.push_async(piece).await?;
/// }
/// let [red, green, blue] = &stream.finish()?.await?[..] else { unreachable!("three channels") };
/// assert_eq!((red.counts[255], green.counts[255], blue.counts[0]), (2, 1, 2));
/// # Ok::<(), wgpu_reduce::Error>(())
/// # })?;
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug)]
pub struct HistogramStream<T: Binned> {
    feed: Feed<Counted>,
    elements: PhantomData<fn(T)>,
}

/// Chunks that are counted, into totals that stay on the device.
#[derive(Debug)]
struct Counted {
    reducer: GpuReducer,
    /// For a full chunk.
    request: HistogramRequest,
    len: u64,
    adding: Recording,
    /// From the totals to the result.
    ending: Recording,
    output_bytes: u64,
    layout: Layout,
    /// What shaders compare with, if they do.
    table: Option<wgpu::Buffer>,
    /// Zero until a chunk has come.
    totals: wgpu::Buffer,
}

impl GpuReducer {
    /// Starts a histogram of elements that will come in pieces:
    /// [`stream_histogram_channels`](Self::stream_histogram_channels) with one channel, so that one histogram comes.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// use wgpu_reduce::{Bins, StreamOptions};
    ///
    /// let mut stream = reducer.stream_histogram(&Bins::even(0..1, 2)?, &StreamOptions::default())?;
    /// for piece in [&[0.25_f32, 0.75][..], &[1.0]] {
    ///     stream.push_async(piece).await?;
    /// }
    /// let [histogram] = &stream.finish()?.await?[..] else { unreachable!("one channel") };
    /// assert_eq!(histogram.counts, [1, 2]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Request::start`](crate::Request::start) and [`stream_exact`](Self::stream_exact).
    pub fn stream_histogram<T: Binned>(
        &self,
        bins: &Bins,
        options: &StreamOptions,
    ) -> Result<HistogramStream<T>> {
        self.stream_histogram_channels(1, bins, options)
    }

    /// Starts a histogram of each channel of elements that will come in pieces: element i of all is of channel i mod
    /// `channels`. [`HistogramStream`] has an example.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`](crate::Error::InvalidView) if there are no channels or more than 16, otherwise as
    /// [`Request::channels`](crate::Request::channels) and [`stream_exact`](Self::stream_exact).
    pub fn stream_histogram_channels<T: Binned>(
        &self,
        channels: u32,
        bins: &Bins,
        options: &StreamOptions,
    ) -> Result<HistogramStream<T>> {
        // A chunk ends with the last channel, and its bytes are aligned however many channels there are.
        let unit = u64::from(channels).saturating_mul(ALIGNED_ELEMENTS).max(1);
        let most = options.chunk_len(T::KIND, 1, &self.context.caps);
        let chunk_len = (most - most % unit).max(unit);
        let counted = Counted::new(
            self,
            HistogramRequest {
                element: T::KIND,
                input: vec![Part { offset_bytes: 0, len: chunk_len }],
                channels,
                bins: bins.clone(),
                output_offset_bytes: 0,
                tuning: HistogramTuning::for_caps(&self.context.caps),
                caps: self.context.caps,
            },
        )?;
        let ring = self.ring(1, chunk_len * T::KIND.size_bytes())?;
        let feed = Feed::new(ring, counted, size_of::<T>());
        Ok(HistogramStream { feed, elements: PhantomData })
    }

    /// The histogram of each channel of the elements of all pieces. No more
    /// than [`StreamOptions::default`] says is in memory at a time.
    /// Not in browsers.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let pieces = (0..1000).map(|_| [0.25_f32, 0.75, f32::NAN]);
    /// let [histogram] = &reducer.reduce_histogram_channels_stream(pieces, 1, &Bins::even(0..1, 2)?)?[..] else {
    ///     unreachable!("one channel");
    /// };
    /// assert_eq!((&histogram.counts[..], histogram.nan), (&[1000, 1000][..], 1000));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`stream_histogram_channels`](Self::stream_histogram_channels) and [`HistogramStream::finish`], and
    /// [`Error::Timeout`](crate::Error::Timeout) where there is a deadline.
    #[cfg(not(target_family = "wasm"))]
    pub fn reduce_histogram_channels_stream<T: Binned, C: AsRef<[T]>>(
        &self,
        pieces: impl IntoIterator<Item = C>,
        channels: u32,
        bins: &Bins,
    ) -> Result<Vec<Histogram>> {
        let mut stream =
            self.stream_histogram_channels(channels, bins, &StreamOptions::default())?;
        for piece in pieces {
            stream.push(piece.as_ref())?;
        }
        stream.finish()?.wait()
    }
}

/// So many of any type take a multiple of 256 bytes, which any copy and binding may end at.
const ALIGNED_ELEMENTS: u64 = 256;

impl<T: Binned> HistogramStream<T> {
    /// Elements taken so far, of all channels.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.feed.len()
    }

    /// Whether none has been taken.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the next elements; as [`Stream::push`](crate::Stream::push).
    /// Not in browsers.
    ///
    /// # Errors
    ///
    /// As [`Stream::push`](crate::Stream::push).
    #[cfg(not(target_family = "wasm"))]
    pub fn push(&mut self, elements: &[T]) -> Result<()> {
        self.feed.push(&mut [bytemuck::cast_slice(elements)])
    }

    /// Takes the next elements; as [`Stream::push_async`](crate::Stream::push_async).
    ///
    /// # Errors
    ///
    /// As [`Stream::push`](crate::Stream::push).
    pub async fn push_async(&mut self, elements: &[T]) -> Result<()> {
        self.feed.push_async(&mut [bytemuck::cast_slice(elements)]).await
    }

    /// Ends the stream. Of no elements all counts are 0.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`](crate::Error::InvalidView) if the elements are no whole number for each channel; what a
    /// push has failed with, and what can be told before the result is there.
    pub fn finish(self) -> Result<Pending<Vec<Histogram>>> {
        let (counted, _) = self.feed.finish()?;
        counted.finish()
    }
}

impl Counted {
    fn new(reducer: &GpuReducer, request: HistogramRequest) -> Result<Self> {
        reducer.context.check_alive()?;
        let plan = Self::plan(reducer, &request)?;
        let table = reducer.histogram_table(&plan.table)?;
        let (adding, ending, bytes) = plan.apart(Self::totals_number(table.as_ref()));
        Ok(Self {
            len: plan.len,
            adding,
            ending,
            output_bytes: plan.output_bytes(),
            layout: Layout { channels: request.channels, edges: plan.edges },
            table,
            totals: reducer.context.counters.take(&reducer.context, bytes)?,
            reducer: reducer.clone(),
            request,
        })
    }

    /// However many chunks there will be.
    fn plan(reducer: &GpuReducer, request: &HistogramRequest) -> Result<HistogramPlan> {
        let plan = HistogramPlan::with_more(request, u64::MAX);
        plan.map_err(|error| reducer.with_adapter(error))
    }

    /// Behind chunk and table.
    fn totals_number(table: Option<&wgpu::Buffer>) -> usize {
        1 + usize::from(table.is_some())
    }

    fn inputs<'a>(&'a self, chunk: &'a wgpu::Buffer) -> Vec<&'a wgpu::Buffer> {
        [chunk].into_iter().chain(&self.table).chain([&self.totals]).collect()
    }

    /// What counts so many elements.
    fn adding(&self, len: u64) -> Result<Cow<'_, Recording>> {
        if len == self.len {
            return Ok(Cow::Borrowed(&self.adding));
        }
        let input = vec![Part { offset_bytes: 0, len }];
        let request = HistogramRequest { input, ..self.request.clone() };
        let plan = Self::plan(&self.reducer, &request)?;
        Ok(Cow::Owned(plan.apart(Self::totals_number(self.table.as_ref())).0))
    }

    /// Starts what makes histograms of the totals.
    fn finish(self) -> Result<Pending<Vec<Histogram>>> {
        let context = &self.reducer.context;
        context.check_alive()?;
        let layout = self.layout.clone();
        let on_host: Finish<_> = Box::new(move |read| layout.read(read, Histogram::new));
        // There is no chunk any more, and nothing reads one.
        let inputs = self.inputs(&self.totals);
        let pending =
            self.reducer.submit(&self.ending, &inputs, self.output_bytes, None, on_host)?;
        // The queue runs what uses them in order, and they are zero again.
        context.counters.give(self.totals.clone());
        Ok(pending)
    }
}

impl Consumer for Counted {
    fn submit(&mut self, ring: &mut Ring, _: u64, len: u64) -> Result<()> {
        let adding = self.adding(len)?;
        let GpuReducer { context, pipelines, .. } = &self.reducer;
        ring.submit(&mut |encoder, chunk| {
            let ends = Ends { inputs: &self.inputs(chunk), output: &self.totals };
            record(context, pipelines, &adding, ends, encoder, None)
        })?;
        Ok(())
    }

    async fn settle(&mut self, _: Way) -> Result<()> {
        Ok(())
    }
}
