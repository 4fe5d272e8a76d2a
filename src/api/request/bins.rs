//! Histograms, of counts or of weights.

use crate::api::input::{Input, Inputs};
use crate::api::pending::Next;
use crate::api::reducer::GpuReducer;
use crate::api::request::Request;
use crate::api::request::lowered::{Ends, Lowered};
use crate::api::request::work::{HostWork, OneBuffer, Reader, Work};
use crate::error::{Error, Result};
use crate::op::Element;
use crate::plan::planned::Plan;
use crate::plan::problem::Shape;
use crate::plan::shapes::bins::result::Layout;
use crate::plan::shapes::bins::{Bins, Histogram, HistogramTuning, Weight, WeightedHistogram};
use bytemuck::Pod;
use std::marker::PhantomData;
use std::sync::Arc;

/// A histogram: what [`GpuReducer::bin`] makes, of elements of type `T`, with weights or without, of one channel or several.
#[derive(Debug, Clone)]
pub struct Bin<'a, T, W, C> {
    inputs: Inputs<'a>,
    bins: &'a Bins,
    weights: W,
    channels: C,
    tuning: Option<HistogramTuning>,
    elements: PhantomData<fn() -> T>,
}

/// Elements are counted.
#[derive(Debug, Clone, Copy)]
pub struct Unweighted;

/// Weights of type `V` are added up.
#[derive(Debug, Clone)]
pub struct Weights<'a, V> {
    inputs: Inputs<'a>,
    weights: PhantomData<fn() -> V>,
}

/// There is one histogram.
#[derive(Debug, Clone, Copy)]
pub struct OneChannel;

/// There is a histogram for each of so many interleaved channels.
#[derive(Debug, Clone, Copy)]
pub struct Channels(u32);

impl<'a, T> Bin<'a, T, Unweighted, OneChannel> {
    pub(crate) const fn new(inputs: Inputs<'a>, bins: &'a Bins) -> Self {
        let (weights, channels, elements) = (Unweighted, OneChannel, PhantomData);
        Self { inputs, bins, weights, channels, tuning: None, elements }
    }
}

impl<'a, T, W> Request<Bin<'a, T, W, OneChannel>> {
    /// Makes a histogram of each of `channels` interleaved channels, in one pass: of red, green and blue with 3, of alpha, too,
    /// with 4. Element i is of channel i mod `channels`.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let pixels = reducer.upload(&[255_u8, 0, 0, 255, 255, 0])?;
    /// let of_channels = reducer.bin(&pixels, &Bins::even(0..256, 2)?).channels(3).run()?;
    /// assert_eq!(of_channels[1].counts, [1, 1]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The verbs fail with [`Error::InvalidView`] if there are no channels, more than 16, or no whole number of elements for
    /// each.
    pub fn channels(self, channels: u32) -> Request<Bin<'a, T, W, Channels>> {
        self.map(|bin| {
            let Bin { inputs, bins, weights, tuning, elements, .. } = bin;
            Bin { inputs, bins, weights, channels: Channels(channels), tuning, elements }
        })
    }
}

impl<'a, T, C> Request<Bin<'a, T, Unweighted, C>> {
    /// Adds up weights instead of counting: weight i is that of element i. Sums of `f32` and `f64` are exact, and rounded once;
    /// those of `u32` are `u64`. They have the same bits on every device, also on those without `f64`.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let (input, weights) = (reducer.upload(&[1_u8, 2, 2, 7])?, reducer.upload(&[10_u32, 5, 6, 1])?);
    /// let histogram = reducer.bin(&input, &Bins::edges(&[1, 2, 3])?).weights(&weights).run()?;
    /// assert_eq!((&histogram.sums[..], histogram.above), (&[10, 11][..], 1));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The verbs fail with [`Error::LengthMismatch`] if there are not as many weights as elements, and with
    /// [`Error::Unsupported`] if there are 2^31 weights that are floats or more, or more than 2^32 that are `u32`.
    pub fn weights<V: Weight>(
        self,
        weights: impl Input<'a, Item = V>,
    ) -> Request<Bin<'a, T, Weights<'a, V>, C>> {
        let weights = Weights { inputs: weights.inputs(), weights: PhantomData };
        self.map(|bin| {
            let Bin { inputs, bins, channels, elements, .. } = bin;
            Bin { inputs, bins, weights, channels, tuning: None, elements }
        })
    }
}

/// Whether there are weights.
pub trait Weighting: sealed::Weighting<Histogram: Send + 'static> {}

/// How many channels there are.
pub trait Channelled: Copy + 'static {
    /// What comes of a histogram of each.
    type Output<H: Send + 'static>: Send + 'static;

    fn count(self) -> u32;

    fn of_all<H: Send + 'static>(all: Vec<H>) -> Result<Self::Output<H>>;
}

mod sealed {
    use super::{Ends, HistogramTuning, Inputs, Lowered, Result};
    use crate::api::reducer::GpuReducer;
    use crate::plan::shapes::bins::Bins;
    use bytemuck::Pod;

    pub trait Weighting {
        /// The sum of weights in a bin.
        type Sum: Pod + Send;

        type Histogram;

        fn lower(
            &self,
            reducer: &GpuReducer,
            of: (&Inputs<'_>, &Bins, u32),
            tuning: Option<HistogramTuning>,
            ends: Ends<'_>,
        ) -> Result<Lowered>;

        fn histogram(
            sums: Vec<Self::Sum>,
            edges: Vec<f64>,
            outside: [Self::Sum; 3],
        ) -> Self::Histogram;
    }
}

impl Channelled for OneChannel {
    type Output<H: Send + 'static> = H;

    fn count(self) -> u32 {
        1
    }

    fn of_all<H: Send + 'static>(all: Vec<H>) -> Result<H> {
        let first = all.into_iter().next();
        first.ok_or_else(|| Error::Internal { message: "there is no histogram".into() })
    }
}

impl Channelled for Channels {
    type Output<H: Send + 'static> = Vec<H>;

    fn count(self) -> u32 {
        self.0
    }

    fn of_all<H: Send + 'static>(all: Vec<H>) -> Result<Vec<H>> {
        Ok(all)
    }
}

impl Weighting for Unweighted {}

impl sealed::Weighting for Unweighted {
    type Sum = u64;
    type Histogram = Histogram;

    fn lower(
        &self,
        reducer: &GpuReducer,
        (inputs, bins, channels): (&Inputs<'_>, &Bins, u32),
        tuning: Option<HistogramTuning>,
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        let shape = Shape::Bins(bins, channels);
        reducer.lower_bins(inputs, (shape, &[]), tuning, ends)
    }

    fn histogram(counts: Vec<u64>, edges: Vec<f64>, outside: [u64; 3]) -> Histogram {
        Histogram::new(counts, edges, outside)
    }
}

impl<V: Weight> Weighting for Weights<'_, V> {}

impl<V: Weight> sealed::Weighting for Weights<'_, V> {
    type Sum = V::Sum;
    type Histogram = WeightedHistogram<V::Sum>;

    fn lower(
        &self,
        reducer: &GpuReducer,
        (inputs, bins, channels): (&Inputs<'_>, &Bins, u32),
        tuning: Option<HistogramTuning>,
        ends: Ends<'_>,
    ) -> Result<Lowered> {
        let weights = self.inputs.first();
        let shape = Shape::Weights(bins, channels, V::WEIGHT, weights);
        reducer.lower_bins(inputs, (shape, &self.inputs.buffers), tuning, ends)
    }

    fn histogram(
        sums: Vec<V::Sum>,
        edges: Vec<f64>,
        outside: [V::Sum; 3],
    ) -> WeightedHistogram<V::Sum> {
        WeightedHistogram::new(sums, edges, outside)
    }
}

impl<T: Element, W: Weighting, C: Channelled> Work for Bin<'_, T, W, C> {
    type Tuning = HistogramTuning;

    fn tune(&mut self, tuning: HistogramTuning) {
        self.tuning = Some(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        Ok(self.lower(reducer, Ends::Host)?.plan)
    }
}

impl<T: Element, W: Weighting, C: Channelled> HostWork for Bin<'_, T, W, C>
where
    W::Sum: Pod,
{
    type Output = C::Output<W::Histogram>;

    fn to_host(&self, reducer: &GpuReducer, _: bool) -> Result<(Lowered, Reader<Self::Output>)> {
        let lowered = self.lower(reducer, Ends::Host)?;
        let edges = lowered.plan.edges().to_vec();
        let layout = Layout { edges, channels: self.channels.count() };
        let reader: Reader<Self::Output> =
            Arc::new(move |bytes, _| C::of_all(layout.read(bytes, W::histogram)?).map(Next::Value));
        Ok((lowered, reader))
    }
}

impl<T: Element, W: Weighting, C: Channelled> OneBuffer for Bin<'_, T, W, C>
where
    W::Sum: Pod,
{
    type Raw = W::Sum;

    fn results(&self) -> Result<u64> {
        Ok(self.bins.output_len().saturating_mul(self.channels.count().into()))
    }

    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        let of = (&self.inputs, self.bins, self.channels.count());
        self.weights.lower(reducer, of, self.tuning, ends)
    }
}
