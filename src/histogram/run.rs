//! Calls that make histograms.

use super::result::Layout;
use super::{Binned, Bins, Histogram, HistogramPlan, HistogramRequest, HistogramTuning};
use crate::buffer::GpuSlice;
use crate::error::{Error, Result};
use crate::pending::{Finish, Pending};
use crate::recording::Recording;
use crate::reducer::GpuReducer;
use crate::slices::GpuSlices;
use crate::timing::{Timed, Timer, split_times};

impl GpuReducer {
    /// How many elements are in each bin: counts as `numpy.histogram` has them, of 64 bits, so that they cannot
    /// overflow.
    ///
    /// An element is in a bin if it is not below its lower edge and below its upper one; the last bin has both
    /// edges. Elements are compared with the [edges](Bins::edges_for) exactly, −0 is 0, and what is outside of all
    /// bins or NaN is counted apart. The result is the same on every device. Of no elements all counts are 0.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let buffer = reducer.upload(&[0.1_f32, 0.5, 1.0, -3.0, f32::NAN])?;
    /// let histogram = reducer.histogram(&buffer, &Bins::even(0.0..1.0, 2)?)?;
    /// assert_eq!(histogram.counts, [1, 2]);
    /// assert_eq!((histogram.below, histogram.above, histogram.nan), (1, 0, 1));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_histogram`](Self::reduce_histogram) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn histogram<'a, T: Binned>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        bins: &Bins,
    ) -> Result<Histogram> {
        self.reduce_histogram(input, bins)?.wait()
    }

    /// A histogram of each channel of interleaved elements, in one pass: of red, green and blue with `channels`
    /// 3, of alpha, too, with 4. Element i is of channel i mod `channels`.
    /// Not in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let pixels = reducer.upload(&[255_u8, 0, 0, 255, 255, 0])?;
    /// let [red, green, blue] = &reducer.histogram_channels(&pixels, 3, &Bins::even(0..256, 256)?)?[..]
    /// else {
    ///     unreachable!("as many as asked for");
    /// };
    /// assert_eq!((red.counts[255], green.counts[255], blue.counts[0]), (2, 1, 2));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce_histogram_channels`](Self::reduce_histogram_channels) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn histogram_channels<'a, T: Binned>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        channels: u32,
        bins: &Bins,
    ) -> Result<Vec<Histogram>> {
        self.reduce_histogram_channels(input, channels, bins)?.wait()
    }

    /// Starts a [`histogram`](Self::histogram) and returns at once.
    ///
    /// Elements of 8 bits are counted by their values, whatever the bins are. Others find their bin by a shift or
    /// a product where the edges are even, and by halving where they are not or rounding might matter. Each
    /// workgroup counts in its own memory, in several copies so that equal elements do not wait for each other,
    /// and adds its counts to the totals; bins that are too many for that are counted in the totals at once. The
    /// method is that of privatised histograms (Podlozhnyuk, *Histogram calculation in CUDA*, 2007).
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// use wgpu_reduce::Bins;
    ///
    /// let buffer = reducer.upload(&[3_u8, 200, 7])?;
    /// let histogram = reducer.reduce_histogram(&buffer, &Bins::edges(&[0, 5, 255])?)?.await?;
    /// assert_eq!(histogram.counts, [1, 2]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBins`] if bins are too narrow for the type, [`Error::Unsupported`] if the device has no
    /// binding that is large enough for the counts; otherwise as [`reduce`](Self::reduce).
    pub fn reduce_histogram<'a, T: Binned>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        bins: &Bins,
    ) -> Result<Pending<Histogram>> {
        let tuning = self.histogram_tuning();
        self.start_histograms(&tuning, &input.into(), 1, bins, None, |all, _| first_of(all))
    }

    /// Starts a histogram of each channel, as [`histogram_channels`](Self::histogram_channels), and returns at
    /// once.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let pixels = reducer.upload(&[255_u8, 0, 0, 255, 255, 0])?;
    /// let pending = reducer.reduce_histogram_channels(&pixels, 3, &Bins::even(0..256, 2)?)?;
    /// // ... other work ...
    /// let of_channels = pending.wait()?;
    /// assert_eq!(of_channels[1].counts, [1, 1]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`] if there are no channels, more than 16, or no whole number of elements for each;
    /// otherwise as [`reduce_histogram`](Self::reduce_histogram).
    pub fn reduce_histogram_channels<'a, T: Binned>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        channels: u32,
        bins: &Bins,
    ) -> Result<Pending<Vec<Histogram>>> {
        let tuning = self.histogram_tuning();
        self.start_histograms(&tuning, &input.into(), channels, bins, None, |all, _| Ok(all))
    }

    /// Starts a histogram of each channel with a tuning of the caller's, and measures the GPU time where the
    /// device has timestamps.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let numbers = reducer.upload(&[1.0_f32, 2.0, 2.5])?;
    /// let tuning = reducer.histogram_tuning();
    /// let bins = Bins::even(0..4, 2)?;
    /// let timed = reducer.reduce_histogram_channels_timed_with(&tuning, &numbers, 1, &bins)?.wait()?;
    /// assert_eq!(timed.value[0].counts, [1, 2]);
    /// println!("{:?} ns", timed.gpu_ns);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`] if the tuning does not fit the device; otherwise as
    /// [`reduce_histogram_channels`](Self::reduce_histogram_channels).
    pub fn reduce_histogram_channels_timed_with<'a, T: Binned>(
        &self,
        tuning: &HistogramTuning,
        input: impl Into<GpuSlices<'a, T>>,
        channels: u32,
        bins: &Bins,
    ) -> Result<Pending<Timed<Vec<Histogram>>>> {
        let timer = Timer::new(&self.context)?;
        let with_time = |value, gpu_ns| Ok(Timed { value, gpu_ns });
        self.start_histograms(tuning, &input.into(), channels, bins, timer.as_ref(), with_time)
    }

    /// Records a histogram of each channel into the caller's encoder. Its counts are left in the first elements of
    /// `output`, [so many](Bins::output_len) of each channel: of the bins, of what is below and above them, and of
    /// NaN.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Bins, GpuBuffer};
    ///
    /// let input = reducer.upload(&[1_u32, 2, 2, 9])?;
    /// let bins = Bins::even(1..3, 2)?;
    /// let output: GpuBuffer<u64> = reducer.alloc(bins.output_len())?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_histogram_channels(&mut encoder, &input, 1, &bins, &output)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(output.download(&reducer)?, [1, 2, 0, 1, 0]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`] if `output` has fewer elements than there are counts, [`Error::InvalidBuffer`] if
    /// it lies in the same buffer as the input; otherwise as [`reduce_histogram_channels`](Self::reduce_histogram_channels).
    pub fn encode_histogram_channels<'a, 'b, T: Binned>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: impl Into<GpuSlices<'a, T>>,
        channels: u32,
        bins: &Bins,
        output: impl Into<GpuSlice<'b, u64>>,
    ) -> Result<()> {
        let tuning = self.histogram_tuning();
        self.encode_histogram_channels_with(encoder, &tuning, input, channels, bins, output)
    }

    /// [`encode_histogram_channels`](Self::encode_histogram_channels) with a tuning of the caller's.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Bins, GpuBuffer};
    ///
    /// let input = reducer.upload(&[1_u32, 2, 2, 9])?;
    /// let bins = Bins::even(1..3, 2)?;
    /// let output: GpuBuffer<u64> = reducer.alloc(bins.output_len())?;
    /// let tuning = reducer.histogram_tuning();
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode_histogram_channels_with(&mut encoder, &tuning, &input, 1, &bins, &output)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(output.download(&reducer)?, [1, 2, 0, 1, 0]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`] if the tuning does not fit the device; otherwise as
    /// [`encode_histogram_channels`](Self::encode_histogram_channels).
    pub fn encode_histogram_channels_with<'a, 'b, T: Binned>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        tuning: &HistogramTuning,
        input: impl Into<GpuSlices<'a, T>>,
        channels: u32,
        bins: &Bins,
        output: impl Into<GpuSlice<'b, u64>>,
    ) -> Result<()> {
        let (input, output) = (input.into(), output.into());
        self.context.check_alive()?;
        let request = self.histogram_request(tuning, &input, channels, bins);
        let request = HistogramRequest { output_offset_bytes: output.offset_bytes, ..request };
        let plan = self.histogram_planned(&request)?;
        let run = (&plan.recording, &plan.table[..]);
        self.encode_histograms(encoder, run, &input.buffers(), plan.counts(), &output)
    }

    /// The tuning in force for histograms.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// println!("{}", reducer.histogram_tuning());
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn histogram_tuning(&self) -> HistogramTuning {
        HistogramTuning::for_caps(&self.context.caps)
    }

    /// What a histogram of each channel would run.
    ///
    /// ```no_run
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let plan = reducer.plan_histogram_channels(&reducer.alloc::<f32>(1000)?, 1, &Bins::even(0..4, 2)?)?;
    /// println!("{plan}");
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`HistogramPlan::new`].
    pub fn plan_histogram_channels<'a, T: Binned>(
        &self,
        input: impl Into<GpuSlices<'a, T>>,
        channels: u32,
        bins: &Bins,
    ) -> Result<HistogramPlan> {
        let tuning = self.histogram_tuning();
        self.histogram_planned(&self.histogram_request(&tuning, &input.into(), channels, bins))
    }

    fn histogram_request<T: Binned>(
        &self,
        tuning: &HistogramTuning,
        input: &GpuSlices<'_, T>,
        channels: u32,
        bins: &Bins,
    ) -> HistogramRequest {
        HistogramRequest {
            element: T::KIND,
            input: input.plan_parts(),
            channels,
            bins: bins.clone(),
            output_offset_bytes: 0,
            tuning: *tuning,
            caps: self.context.caps,
        }
    }

    fn histogram_planned(&self, request: &HistogramRequest) -> Result<HistogramPlan> {
        HistogramPlan::new(request).map_err(|error| self.with_adapter(error))
    }

    /// The buffer with what shaders compare with, if they do.
    pub(crate) fn histogram_table(&self, table: &[u32]) -> Result<Option<wgpu::Buffer>> {
        if table.is_empty() {
            return Ok(None);
        }
        let bytes = bytemuck::cast_slice(table).to_vec();
        self.context.tables.get(&self.context, bytes).map(Some)
    }

    fn start_histograms<T: Binned, R: 'static>(
        &self,
        tuning: &HistogramTuning,
        input: &GpuSlices<'_, T>,
        channels: u32,
        bins: &Bins,
        timer: Option<&Timer>,
        finish: fn(Vec<Histogram>, Option<f64>) -> Result<R>,
    ) -> Result<Pending<R>> {
        self.context.check_alive()?;
        let request = self.histogram_request(tuning, input, channels, bins);
        let plan = self.histogram_planned(&request)?;
        let bytes = plan.output_bytes();
        let run = (&plan.recording, &plan.table[..]);
        let layout = Layout { edges: plan.edges, channels };
        let read = (layout, bytes);
        self.submit_histograms(run, &input.buffers(), read, timer, (Histogram::new, finish))
    }

    /// Records a recording of `inputs` and the table behind them, if so many results fit into `output`.
    pub(super) fn encode_histograms<R>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (recording, table): (&Recording, &[u32]),
        inputs: &[&wgpu::Buffer],
        results: u64,
        output: &GpuSlice<'_, R>,
    ) -> Result<()> {
        check_output(output, results, inputs)?;
        let table = self.histogram_table(table)?;
        let inputs: Vec<_> = inputs.iter().copied().chain(&table).collect();
        self.record_into(encoder, recording, &inputs, output.buffer)
    }

    /// Submits the same, of which so many bytes come back, with such a layout.
    pub(super) fn submit_histograms<S: bytemuck::Pod, H: 'static, R: 'static>(
        &self,
        (recording, table): (&Recording, &[u32]),
        inputs: &[&wgpu::Buffer],
        (layout, bytes): (Layout, u64),
        timer: Option<&Timer>,
        (make, finish): OnHost<S, H, R>,
    ) -> Result<Pending<R>> {
        let table = self.histogram_table(table)?;
        let inputs: Vec<_> = inputs.iter().copied().chain(&table).collect();
        let period_ns = timer.map(Timer::period_ns);
        let on_host: Finish<R> = Box::new(move |read| {
            let (read, gpu_ns) = split_times(read, bytes, period_ns);
            finish(layout.read(read, make)?, gpu_ns)
        });
        self.submit(recording, &inputs, bytes, timer, on_host)
    }
}

/// What makes a histogram of a channel's numbers, the edges, and the three numbers of what is outside; and what is made of
/// those of all channels, and of the time they took.
pub(super) type OnHost<S, H, R> =
    (fn(Vec<S>, Vec<f64>, [S; 3]) -> H, fn(Vec<H>, Option<f64>) -> Result<R>);

/// Whether so many results fit, and lie apart from what they are made of.
fn check_output<R>(output: &GpuSlice<'_, R>, results: u64, inputs: &[&wgpu::Buffer]) -> Result<()> {
    if output.len < results {
        return Err(Error::InvalidRange { start: 0, end: results, len: output.len });
    }
    if inputs.contains(&output.buffer) {
        let what = "a histogram cannot lie in a buffer that it is made of".into();
        return Err(Error::InvalidBuffer { what });
    }
    Ok(())
}

/// The one of the only channel.
pub(super) fn first_of<H>(histograms: Vec<H>) -> Result<H> {
    let first = histograms.into_iter().next();
    first.ok_or_else(|| Error::Internal { message: "there is no histogram".into() })
}
