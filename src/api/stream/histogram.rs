//! Histograms of streams: chunks are counted into totals on the device.

use crate::api::pending::{Finish, Pending};
use crate::api::reducer::GpuReducer;
use crate::api::stream::feed::{Consumer, Feed, takes};
use crate::api::stream::ring::{Ring, Way};
use crate::device::allowance::Held;
use crate::device::encode::{Ends, record};
use crate::error::Result;
use crate::op::{Element, ElementKind};
use crate::plan::cut::part::Part;
use crate::plan::planned::Plan;
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::Recording;
use crate::plan::shapes::bins::result::Layout;
use crate::plan::shapes::bins::{self, Bins, Histogram, apart};
use crate::plan::shapes::chunks::options::StreamOptions;
use std::borrow::Cow;
use std::marker::PhantomData;

/// The histograms of elements that come in pieces.
///
/// It is used as a [`Stream`](crate::Stream) is, and what comes out is what
/// a [request](crate::Request::channels) counts of all elements in one buffer, however they were cut. NaN and
/// what lies outside the bins is counted apart, on every device alike.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// # pollster::block_on(async {
/// use wgpu_reduce::{Bins, HistogramStream, StreamOptions};
///
/// let bins = Bins::even(0..256, 256)?;
/// let mut stream = HistogramStream::new(&reducer, 3, &bins, &StreamOptions::default())?;
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
pub struct HistogramStream<T: Element> {
    feed: Feed<Counted>,
    elements: PhantomData<fn(T)>,
}

/// Chunks that are counted, into totals that stay on the device.
#[derive(Debug)]
pub(crate) struct Counted {
    reducer: GpuReducer,
    element: ElementKind,
    channels: u32,
    bins: Bins,
    /// Elements of a full chunk.
    len: u64,
    adding: Recording,
    /// From the totals to the result.
    ending: Recording,
    output_bytes: u64,
    layout: Layout,
    /// What shaders compare with, if they do.
    table: Option<Held>,
    /// Zero until a chunk has come.
    totals: Held,
}

/// So many of any type take a multiple of 256 bytes, which any copy and binding may end at.
const ALIGNED_ELEMENTS: u64 = 256;

impl<T: Element> HistogramStream<T> {
    /// Starts a histogram of each channel of elements that will come in pieces: element i of all is of channel i mod
    /// `channels`, 1 where there is one histogram.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`](crate::Error::InvalidView) if there are no channels or more than 16, otherwise as
    /// [`Request::start`](crate::Request::start) and [`ExactStream::new`](crate::ExactStream::new).
    pub fn new(
        reducer: &GpuReducer,
        channels: u32,
        bins: &Bins,
        options: &StreamOptions,
    ) -> Result<Self> {
        // A chunk ends with the last channel, and its bytes are aligned however many channels there are.
        let unit = u64::from(channels).saturating_mul(ALIGNED_ELEMENTS).max(1);
        let most = options.chunk_len(T::KIND, 1, &reducer.context.caps);
        let chunk_len = (most - most % unit).max(unit);
        let counted = Counted::new(reducer, T::KIND, (bins, channels), chunk_len)?;
        let ring = reducer.ring(1, chunk_len * T::KIND.size_bytes())?;
        let feed = Feed::new(ring, counted, size_of::<T>());
        Ok(Self { feed, elements: PhantomData })
    }

    takes! {
        "Elements, of all channels," of self.feed;
        /// Takes the next elements; as [`Stream::push`](crate::Stream::push).
        /// Not in browsers.
        ///
        /// # Errors
        ///
        /// As [`Stream::push`](crate::Stream::push).
        push(elements: &[T]) => [bytemuck::cast_slice(elements)]
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
    pub(crate) fn new(
        reducer: &GpuReducer,
        element: ElementKind,
        (bins, channels): (&Bins, u32),
        len: u64,
    ) -> Result<Self> {
        reducer.context.check_alive()?;
        let plan = plan(reducer, element, (bins, channels), len)?;
        let table = reducer.table(plan.table())?;
        let number = Self::totals_number(table.as_ref());
        let (adding, ending, bytes) = apart(&plan.recording, number);
        Ok(Self {
            element,
            channels,
            bins: bins.clone(),
            len: plan.len,
            adding,
            ending,
            output_bytes: plan.host_bytes(),
            layout: Layout { channels, edges: plan.edges().to_vec() },
            table,
            totals: reducer.context.counters.take(&reducer.context, bytes)?,
            reducer: reducer.clone(),
        })
    }

    /// Behind chunk and table.
    fn totals_number(table: Option<&Held>) -> usize {
        1 + usize::from(table.is_some())
    }

    fn inputs<'a>(&'a self, chunk: &'a wgpu::Buffer) -> Vec<&'a wgpu::Buffer> {
        [chunk].into_iter().chain(self.table.as_deref()).chain([&*self.totals]).collect()
    }

    /// What counts so many elements.
    fn adding(&self, len: u64) -> Result<Cow<'_, Recording>> {
        if len == self.len {
            return Ok(Cow::Borrowed(&self.adding));
        }
        let plan = plan(&self.reducer, self.element, (&self.bins, self.channels), len)?;
        Ok(Cow::Owned(apart(&plan.recording, Self::totals_number(self.table.as_ref())).0))
    }

    /// Starts what makes histograms of the totals.
    pub(crate) fn finish(self) -> Result<Pending<Vec<Histogram>>> {
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

/// What counts a chunk, however many there will be.
fn plan(
    reducer: &GpuReducer,
    element: ElementKind,
    (bins, channels): (&Bins, u32),
    len: u64,
) -> Result<Plan> {
    let problem = Problem::in_bins(element, Shape::Bins(bins, channels));
    let problem = problem.parts(vec![vec![Part { offset_bytes: 0, len }]]);
    let plan = bins::lower(&problem, (bins, channels), u64::MAX, &reducer.context.caps);
    plan.map_err(|error| reducer.with_adapter(error))
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
