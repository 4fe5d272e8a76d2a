//! Calls that make histograms of weights.

use super::{Weight, WeightedHistogram, WeightedHistogramPlan, WeightedHistogramRequest};
use crate::buffer::GpuSlice;
use crate::error::Result;
use crate::histogram::result::Layout;
use crate::histogram::run::first_of;
use crate::histogram::{Binned, Bins, HistogramTuning};
use crate::pending::Pending;
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;
use crate::timing::{Timed, Timer};

/// What a histogram of weights is made of.
struct Weighted<'a, 'b, 'c, T, W> {
    input: GpuSlices<'a, T>,
    weights: GpuSlices<'b, W>,
    channels: u32,
    bins: &'c Bins,
}

/// What is made of the histograms of all channels, and of the time they took.
type OnHost<W, R> = fn(Vec<WeightedHistogram<<W as Weight>::Sum>>, Option<f64>) -> Result<R>;

impl<'a, 'b, 'c, T: Binned, W: Weight> Weighted<'a, 'b, 'c, T, W> {
    fn new(
        input: impl Into<GpuSlices<'a, T>>,
        weights: impl Into<GpuSlices<'b, W>>,
        channels: u32,
        bins: &'c Bins,
    ) -> Self {
        Self { input: input.into(), weights: weights.into(), channels, bins }
    }

    /// The buffers of elements and weights.
    fn buffers<'d>(&self) -> Vec<&'d wgpu::Buffer>
    where
        'a: 'd,
        'b: 'd,
    {
        self.input.buffers_and(self.weights.parts())
    }

    fn request(&self, reducer: &GpuReducer, tuning: &HistogramTuning) -> WeightedHistogramRequest {
        WeightedHistogramRequest {
            element: T::KIND,
            weight: W::WEIGHT,
            input: self.input.plan_parts(),
            weights: self.weights.plan_parts(),
            channels: self.channels,
            bins: self.bins.clone(),
            output_offset_bytes: 0,
            tuning: *tuning,
            caps: reducer.context.caps,
        }
    }
}

impl GpuReducer {
    /// The sum of the weights of the elements in each bin: weight i is that of element i.
    ///
    /// Where elements belong is as [`histogram`](Self::histogram) says. Sums of `u32` have 64 bits and are exact.
    /// Those of `f32` are the real sums, each rounded once, as [`sum_exact`](Self::sum_exact) has them: the same
    /// bits on every device, in any order; no weights have the sum +0, and an infinite or NaN weight makes the sum
    /// of its own bin so and no other.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let values = reducer.upload(&[1_u8, 2, 2, 7])?;
    /// let weights = reducer.upload(&[0.5_f32, 1e30, -1e30, 4.0])?;
    /// let weighted = reducer.histogram_weighted(&values, &weights, &Bins::even(1..3, 2)?)?;
    /// assert_eq!((weighted.sums, weighted.above), (vec![0.5, 0.0], 4.0));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_histogram_weighted`](Self::reduce_histogram_weighted) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn histogram_weighted<'a, 'b, T: Binned, W: Weight>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        weights: impl Into<GpuSlices<'b, W>>,
        bins: &Bins,
    ) -> Result<WeightedHistogram<W::Sum>> {
        self.reduce_histogram_weighted(input, weights, bins)?.wait()
    }

    /// A histogram of weights of each channel of interleaved elements, in one pass. Element i is of channel i mod
    /// `channels`, and so is weight i, which is its own.
    /// Not in browsers.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// // Two channels of two elements each.
    /// let values = reducer.upload(&[0_u8, 1, 1, 1])?;
    /// let weights = reducer.upload(&[10_u32, 20, 30, 40])?;
    /// let bins = Bins::even(0..2, 2)?;
    /// let channels = reducer.histogram_weighted_channels(&values, &weights, 2, &bins)?;
    /// assert_eq!((&channels[0].sums[..], &channels[1].sums[..]), (&[10, 30][..], &[0, 60][..]));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_histogram_weighted_channels`](Self::reduce_histogram_weighted_channels) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn histogram_weighted_channels<'a, 'b, T: Binned, W: Weight>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        weights: impl Into<GpuSlices<'b, W>>,
        channels: u32,
        bins: &Bins,
    ) -> Result<Vec<WeightedHistogram<W::Sum>>> {
        self.reduce_histogram_weighted_channels(input, weights, channels, bins)?.wait()
    }

    /// Starts a [`histogram_weighted`](Self::histogram_weighted) and returns at once.
    ///
    /// The method: a sum of `f32` is a fixed-point number of nine digits, to which integers are added atomically.
    /// Each digit has 32 bits more than it needs, so that carries wait for the last pass, which puts the digits
    /// together and rounds. Where the sums of all bins fit, workgroups have their own.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// use wgpu_reduce::Bins;
    ///
    /// // Elements and weights may lie in several buffers, and need not be cut at the same place.
    /// let values = [reducer.upload(&[1.5_f32, 2.5])?, reducer.upload(&[1.0_f32])?];
    /// let weights = reducer.upload(&[3_u32, 4, 5])?;
    /// let bins = Bins::even(1.0..3.0, 2)?;
    /// let weighted = reducer.reduce_histogram_weighted(&values, &weights, &bins)?.await?;
    /// assert_eq!(weighted.sums, [8, 4]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if there are not as many weights as elements,
    /// [`Error::Unsupported`](crate::Error::Unsupported) if there are 2^31 or more that are `f32`, or more than 2^32 that
    /// are `u32`, or no binding of the device is large enough for the sums: 80 bytes for each bin with `f32`, 8 with
    /// `u32`; otherwise as [`reduce_histogram`](Self::reduce_histogram).
    pub fn reduce_histogram_weighted<'a, 'b, T: Binned, W: Weight>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        weights: impl Into<GpuSlices<'b, W>>,
        bins: &Bins,
    ) -> Result<Pending<WeightedHistogram<W::Sum>>> {
        let weighted = Weighted::new(input, weights, 1, bins);
        let tuning = self.histogram_weighted_tuning();
        self.start_weighted(&tuning, &weighted, None, |all, _| first_of(all))
    }

    /// Starts a histogram of weights of each channel, as
    /// [`histogram_weighted_channels`](Self::histogram_weighted_channels), and returns at once.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let pixels = reducer.upload(&[0_u8, 9, 9, 9])?;
    /// let weights = reducer.upload(&[1_u32, 2, 3, 4])?;
    /// let bins = Bins::even(0..10, 2)?;
    /// let of_channels = reducer.reduce_histogram_weighted_channels(&pixels, &weights, 2, &bins)?.wait()?;
    /// assert_eq!((&of_channels[0].sums[..], &of_channels[1].sums[..]), (&[1, 3][..], &[0, 6][..]));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`](crate::Error::InvalidView) if there are no channels, more than 16, or no whole number of
    /// elements for each; otherwise as [`reduce_histogram_weighted`](Self::reduce_histogram_weighted).
    pub fn reduce_histogram_weighted_channels<'a, 'b, T: Binned, W: Weight>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        weights: impl Into<GpuSlices<'b, W>>,
        channels: u32,
        bins: &Bins,
    ) -> Result<Pending<Vec<WeightedHistogram<W::Sum>>>> {
        let weighted = Weighted::new(input, weights, channels, bins);
        self.start_weighted(&self.histogram_weighted_tuning(), &weighted, None, |all, _| Ok(all))
    }

    /// Starts a histogram of weights of each channel with a tuning of the caller's, and measures the GPU time where
    /// the device has timestamps.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let (input, weights) = (reducer.upload(&[0_u8, 9])?, reducer.upload(&[0.5_f32, 2.0])?);
    /// let tuning = reducer.histogram_weighted_tuning();
    /// let bins = Bins::even(0..10, 2)?;
    /// let pending = reducer.reduce_histogram_weighted_channels_timed_with(&tuning, &input, &weights, 1, &bins)?;
    /// let timed = pending.wait()?;
    /// assert_eq!(timed.value[0].sums, [0.5, 2.0]);
    /// println!("{:?} ns", timed.gpu_ns);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`](crate::Error::InvalidTuning) if the tuning does not fit the device; otherwise as
    /// [`reduce_histogram_weighted_channels`](Self::reduce_histogram_weighted_channels).
    #[expect(clippy::type_complexity, reason = "several, timed, and on their way")]
    pub fn reduce_histogram_weighted_channels_timed_with<'a, 'b, T: Binned, W: Weight>(
        &self,
        tuning: &HistogramTuning,
        input: impl Into<GpuSlices<'a, T>>,
        weights: impl Into<GpuSlices<'b, W>>,
        channels: u32,
        bins: &Bins,
    ) -> Result<Pending<Timed<Vec<WeightedHistogram<W::Sum>>>>> {
        let weighted = Weighted::new(input, weights, channels, bins);
        let timer = Timer::new(&self.context)?;
        let with_time = |value, gpu_ns| Ok(Timed { value, gpu_ns });
        self.start_weighted(tuning, &weighted, timer.as_ref(), with_time)
    }

    /// Records a histogram of weights of each channel into the caller's encoder. Its sums are left in the first
    /// elements of `output`, [so many](Bins::output_len) of each channel: of the bins, of what is below and above them,
    /// and of NaN.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Bins, GpuBuffer};
    ///
    /// let input = reducer.upload(&[1_u32, 2, 2, 9])?;
    /// let weights = reducer.upload(&[0.1_f32, 0.2, 0.3, 0.4])?;
    /// let bins = Bins::even(1..3, 2)?;
    /// let output: GpuBuffer<f32> = reducer.alloc(bins.output_len())?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_histogram_weighted_channels(&mut encoder, &input, &weights, 1, &bins, &output)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(output.download(&reducer)?, [0.1, 0.5, 0.0, 0.4, 0.0]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) if `output` has fewer elements than there are sums,
    /// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if it lies in a buffer of the elements or weights;
    /// otherwise as [`reduce_histogram_weighted_channels`](Self::reduce_histogram_weighted_channels).
    pub fn encode_histogram_weighted_channels<'a, 'b, 'c, T: Binned, W: Weight>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: impl Into<GpuSlices<'a, T>>,
        weights: impl Into<GpuSlices<'b, W>>,
        channels: u32,
        bins: &Bins,
        output: impl Into<GpuSlice<'c, W::Sum>>,
    ) -> Result<()> {
        let weighted = Weighted::new(input, weights, channels, bins);
        self.encode_weighted(encoder, &self.histogram_weighted_tuning(), &weighted, &output.into())
    }

    /// [`encode_histogram_weighted_channels`](Self::encode_histogram_weighted_channels) with a tuning of the caller's.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Bins, GpuBuffer};
    ///
    /// let (input, weights) = (reducer.upload(&[1_u32, 2])?, reducer.upload(&[0.1_f32, 0.2])?);
    /// let bins = Bins::even(1..3, 2)?;
    /// let sums: GpuBuffer<f32> = reducer.alloc(bins.output_len())?;
    /// let tuning = reducer.histogram_weighted_tuning();
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_histogram_weighted_channels_with(
    ///     &mut encoder, &tuning, &input, &weights, 1, &bins, &sums,
    /// )?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(sums.download(&reducer)?, [0.1, 0.2, 0.0, 0.0, 0.0]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`](crate::Error::InvalidTuning) if the tuning does not fit the device; otherwise as
    /// [`encode_histogram_weighted_channels`](Self::encode_histogram_weighted_channels).
    #[expect(
        clippy::too_many_arguments,
        reason = "those of the call without a tuning, and the tuning"
    )]
    pub fn encode_histogram_weighted_channels_with<'a, 'b, 'c, T: Binned, W: Weight>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        tuning: &HistogramTuning,
        input: impl Into<GpuSlices<'a, T>>,
        weights: impl Into<GpuSlices<'b, W>>,
        channels: u32,
        bins: &Bins,
        output: impl Into<GpuSlice<'c, W::Sum>>,
    ) -> Result<()> {
        let weighted = Weighted::new(input, weights, channels, bins);
        self.encode_weighted(encoder, tuning, &weighted, &output.into())
    }

    /// The tuning in force for histograms of weights.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// println!("{}", reducer.histogram_weighted_tuning());
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn histogram_weighted_tuning(&self) -> HistogramTuning {
        HistogramTuning::for_weights(&self.context.caps)
    }

    /// What a histogram of weights of each channel would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let (input, weights) = (reducer.alloc::<f32>(1000)?, reducer.alloc::<f32>(1000)?);
    /// let plan = reducer.plan_histogram_weighted_channels(&input, &weights, 1, &Bins::even(0..4, 2)?)?;
    /// println!("{plan}");
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`WeightedHistogramPlan::new`].
    pub fn plan_histogram_weighted_channels<'a, 'b, T: Binned, W: Weight>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        weights: impl Into<GpuSlices<'b, W>>,
        channels: u32,
        bins: &Bins,
    ) -> Result<WeightedHistogramPlan> {
        let weighted = Weighted::new(input, weights, channels, bins);
        self.weighted_planned(&weighted.request(self, &self.histogram_weighted_tuning()))
    }

    fn weighted_planned(
        &self,
        request: &WeightedHistogramRequest,
    ) -> Result<WeightedHistogramPlan> {
        WeightedHistogramPlan::new(request).map_err(|error| self.with_adapter(error))
    }

    fn encode_weighted<T: Binned, W: Weight>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        tuning: &HistogramTuning,
        weighted: &Weighted<'_, '_, '_, T, W>,
        output: &GpuSlice<'_, W::Sum>,
    ) -> Result<()> {
        self.context.check_alive()?;
        let request = WeightedHistogramRequest {
            output_offset_bytes: output.offset_bytes,
            ..weighted.request(self, tuning)
        };
        let plan = self.weighted_planned(&request)?;
        let run = (&plan.recording, &plan.table[..]);
        self.encode_histograms(encoder, run, &weighted.buffers(), plan.sums(), output)
    }

    fn start_weighted<T: Binned, W: Weight, R: 'static>(
        &self,
        tuning: &HistogramTuning,
        weighted: &Weighted<'_, '_, '_, T, W>,
        timer: Option<&Timer>,
        finish: OnHost<W, R>,
    ) -> Result<Pending<R>> {
        self.context.check_alive()?;
        let plan = self.weighted_planned(&weighted.request(self, tuning))?;
        let bytes = plan.output_bytes();
        let run = (&plan.recording, &plan.table[..]);
        let read = (Layout { edges: plan.edges, channels: weighted.channels }, bytes);
        let on_host = (WeightedHistogram::new as fn(_, _, _) -> _, finish);
        self.submit_histograms(run, &weighted.buffers(), read, timer, on_host)
    }
}
