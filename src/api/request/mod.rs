//! Requests: what to reduce and how, and the verbs that run it.

mod along;
mod axis_output;
mod batch;
mod bins;
mod counted;
mod groups;
pub(crate) mod judge;
pub(crate) mod lowered;
mod masked;
mod output;
mod prepared;
mod read_runs;
mod run_buffers;
mod runs;
mod segments;
mod timed;
mod tuned;
mod whole;
mod work;

pub use along::Along;
pub use batch::{Batch, Requests};
pub use bins::{Bin, Channels, OneChannel, Unweighted, Weighting, Weights};
pub use counted::Counted;
pub use groups::Groups;
pub(crate) use lowered::Head;
pub use masked::Masked;
pub use output::Output;
pub use prepared::Prepared;
pub use run_buffers::{GpuRuns, RunBuffers, Runs};
pub use runs::ByRuns;
pub use segments::Segments;
pub use timed::Timing;
pub use tuned::Tuned;
pub use whole::Whole;
pub(crate) use work::Reader;
pub use work::{DeviceWork, HostWork, Work};

use crate::api::pending::Pending;
use crate::api::reducer::GpuReducer;
use crate::api::submit::Member;
use crate::error::Result;
use crate::plan::planned::Plan;

/// What to reduce, in which shape and how. Nothing runs before one of its verbs is called.
///
/// [`GpuReducer::reduce`] and [`GpuReducer::bin`] make requests. What can be said of one:
///
/// | method | what it does |
/// |---|---|
/// | [`along`](Request::along), [`rows`](Request::rows), [`columns`](Request::columns) | a result for each position of the other axes |
/// | [`segments`](Request::segments) | a result for each segment that offsets delimit |
/// | [`runs`](Request::runs) | a result for each run of equal keys |
/// | [`groups`](Request::groups) | a result for each group of equal keys, which come in any order |
/// | [`counted`](Request::counted) | one result of the first elements, as many as a number on the GPU says |
/// | [`masked`](Request::masked) | one result of the elements that a mask leaves |
/// | [`unrounded`](Request::unrounded), [`partial`](Request::partial) | an exact sum that can be merged |
/// | [`channels`](Request::channels), [`weights`](Request::weights) | of histograms |
/// | [`tuned`](Request::tuned) | other numbers of workgroups and loads than the default |
/// | [`timed`](Request::timed) | brings the GPU's time with the result |
/// | [`output`](Request::output) | leaves results in a buffer of the caller's |
///
/// The verbs, the same for every request:
///
/// | verb | what it does |
/// |---|---|
/// | [`run`](Request::run) | blocks until the result is there; not in browsers |
/// | [`start`](Request::start) | returns at once, with a [`Pending`] to await or wait for |
/// | [`to_buffer`](Request::to_buffer) | leaves the results on the GPU, in a buffer of their own |
/// | [`encode`](Request::encode) | records into an encoder of the caller's, and submits nothing |
/// | [`plan`](Request::plan) | tells what would run |
/// | [`prepare`](Request::prepare) | resolves everything once, to be run again and again |
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{ArgMax, Matrix, Sum};
///
/// let buffer = reducer.upload(&[1_u32, 9, 2, 7, 5, 6])?;
/// assert_eq!(reducer.reduce(Sum, &buffer).run()?, 30);
///
/// let matrix = Matrix { rows: 2, columns: 3 };
/// let found = reducer.reduce(ArgMax, &buffer).rows(matrix).start()?;
/// // ... other work ...
/// assert_eq!(found.wait()?.iter().map(|found| found.index).collect::<Vec<_>>(), [1, 0]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// Combinations that make no sense do not compile:
///
/// ```compile_fail,E0599
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// let (a, b) = (reducer.upload(&[1.0_f32])?, reducer.upload(&[2.0_f32])?);
/// // The host finishes an exact dot product.
/// reducer.reduce(wgpu_reduce::DotExact, (&a, &b)).to_buffer()?;
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a request does nothing before it is run, started, encoded or planned"]
pub struct Request<W> {
    reducer: GpuReducer,
    work: W,
}

impl<W> Request<W> {
    pub(crate) fn new(reducer: &GpuReducer, work: W) -> Self {
        Self { reducer: reducer.clone(), work }
    }

    /// Keeps the reducer and changes the work.
    fn map<V>(self, make: impl FnOnce(W) -> V) -> Request<V> {
        Request { reducer: self.reducer, work: make(self.work) }
    }
}

impl<W: Work> Request<W> {
    /// Shapes the reduction by other numbers than the default. Exact results have the same bits with any of them; those of
    /// floats that round may differ in their last bits.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{AxisTuning, Matrix, Sum};
    ///
    /// let buffer = reducer.upload(&[1_i32, 2, 3, 4, 5, 6])?;
    /// let tuning = AxisTuning { rows_in_flight: 1, ..AxisTuning::for_caps(&reducer.caps()) };
    /// let rows = reducer.reduce(Sum, &buffer).rows(Matrix { rows: 2, columns: 3 }).tuned(tuning);
    /// assert_eq!(rows.run()?, [6, 15]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// The verbs fail with [`Error::InvalidTuning`](crate::Error::InvalidTuning) where the tuning does not fit the device.
    pub fn tuned(self, tuning: impl Into<W::Tuning>) -> Request<Tuned<W>> {
        let tuning = tuning.into();
        self.map(|mut work| {
            work.tune(tuning);
            Tuned(work)
        })
    }

    /// Tells what would run: passes, shaders, grids and bytes. Nothing is submitted.
    ///
    /// It depends on lengths and offsets, on operation, tuning and device, and on nothing else. It is printed by `Display`,
    /// and bounds the error of what rounds.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[0.5_f32; 4096])?;
    /// println!("{}", reducer.reduce(wgpu_reduce::Sum, &buffer).plan()?);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What [`start`](Self::start) finds before anything runs.
    pub fn plan(&self) -> Result<Plan> {
        self.work.plan(&self.reducer)
    }
}

impl<W: HostWork> Request<W> {
    /// Brings the GPU's time with the result, where the device has timestamps: [`Timed`](crate::Timed).
    ///
    /// The time is that of the passes, in nanoseconds, from the start of the first to the end of the last, without submission
    /// and the copy to the host.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let timed = reducer.reduce(Sum, &reducer.upload(&[1_u32; 4096])?).timed().run()?;
    /// assert_eq!(timed.value, 4096);
    /// match timed.gpu_ns {
    ///     Some(gpu_ns) => println!("{gpu_ns} ns"),
    ///     None => println!("the device has no timestamps"),
    /// }
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    pub fn timed(self) -> Request<Timing<W>> {
        self.map(Timing)
    }

    /// Starts the reduction and returns at once.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// use wgpu_reduce::{Max, Sum};
    ///
    /// let buffer = reducer.upload(&[1.5_f32, -2.0, 4.0])?;
    /// let (sum, max) = (reducer.reduce(Sum, &buffer).start()?, reducer.reduce(Max, &buffer).start()?);
    /// assert_eq!((sum.await?, max.await?), (3.5, 4.0));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What can be told before the result is there: [`Error::Empty`] if there are no elements and the operation has no
    /// result then, [`Error::LengthMismatch`] if two inputs that belong together differ in length, [`Error::Unsupported`] if
    /// the device lacks what it takes, as `f64` or room in a binding, [`Error::InvalidView`], [`Error::InvalidBins`],
    /// [`Error::InvalidRank`] and [`Error::InvalidTuning`] for what does not fit, [`Error::InvalidBuffer`] if there are 2^64 elements or more,
    /// [`Error::Validation`] if the buffer is another device's, mapped or destroyed, [`Error::Shader`] if the driver refuses a
    /// shader, [`Error::OutOfMemory`] and [`Error::DeviceLost`].
    ///
    /// [`Error::Empty`]: crate::Error::Empty
    /// [`Error::LengthMismatch`]: crate::Error::LengthMismatch
    /// [`Error::Unsupported`]: crate::Error::Unsupported
    /// [`Error::InvalidView`]: crate::Error::InvalidView
    /// [`Error::InvalidBins`]: crate::Error::InvalidBins
    /// [`Error::InvalidRank`]: crate::Error::InvalidRank
    /// [`Error::InvalidTuning`]: crate::Error::InvalidTuning
    /// [`Error::InvalidBuffer`]: crate::Error::InvalidBuffer
    /// [`Error::Validation`]: crate::Error::Validation
    /// [`Error::Shader`]: crate::Error::Shader
    /// [`Error::OutOfMemory`]: crate::Error::OutOfMemory
    /// [`Error::DeviceLost`]: crate::Error::DeviceLost
    pub fn start(&self) -> Result<Pending<W::Output>> {
        self.reducer.context.check_alive()?;
        let (lowered, reader) = self.work.to_host(&self.reducer, false)?;
        let member = Member::new(&lowered, self.work.place(), W::IS_TIMED);
        self.reducer.submit_lowered(member, reader)
    }

    /// Runs the reduction and blocks until its result is there. Not in browsers, which do not let a page block.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Error, Max, Sum};
    ///
    /// let buffer = reducer.upload(&[1.5_f32, -2.0, 4.0])?;
    /// let nothing = buffer.slice(..0)?;
    /// assert_eq!(reducer.reduce(Sum, nothing).run()?, 0.0);
    /// assert_eq!(reducer.reduce(Max, nothing).run(), Err(Error::Empty { operation: "max" }));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn run(&self) -> Result<W::Output> {
        self.start()?.wait()
    }

    /// Resolves everything once: plan, pipelines, bindings, buffers and timestamps. Running it again does none of that, once as many
    /// runs are in flight as before, unless a result was dropped unread. What changes is the contents of the buffers that it was made
    /// with.
    /// Runs of keys come back at once, with room for as many as there can be.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::NormL2;
    ///
    /// let residual = reducer.upload(&[3.0_f32, 4.0])?;
    /// let norm = reducer.reduce(NormL2, &residual).prepare()?;
    /// assert_eq!(norm.run()?, 5.0);
    /// reducer.write(&residual, &[0.0, 0.5])?;
    /// assert_eq!(norm.run()?, 0.5);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn prepare(&self) -> Result<Prepared<W::Output>> {
        Prepared::new(&self.reducer, &self.work)
    }
}

impl<W: DeviceWork> Request<W> {
    /// Starts the reduction and leaves its results on the GPU, in a buffer of their own. What is submitted later finds them there.
    ///
    /// They are as the device leaves them, the fold's [`Raw`](crate::DeviceFold::Raw). Nobody looks at offsets, nor whether a result of
    /// nothing is defined: where it is not, some value is left.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Matrix, Max, Sum};
    ///
    /// let buffer = reducer.upload(&[0.5_f32, 0.25, 4.0, 1.0])?;
    /// let sums = reducer.reduce(Sum, &buffer).rows(Matrix { rows: 2, columns: 2 }).to_buffer()?;
    /// assert_eq!(reducer.reduce(Max, &sums).run()?, 5.0);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start) and [`GpuReducer::alloc`].
    pub fn to_buffer(&self) -> Result<W::Buffer> {
        let buffer = self.work.buffer(&self.reducer)?;
        self.reducer.submit_encoded(|encoder| self.record(encoder, &W::target(&buffer)))?;
        Ok(buffer)
    }

    /// Records the reduction into the caller's encoder. Results are left in the first elements of `output`; nothing is
    /// submitted, and nothing is read back.
    ///
    /// Results are as the device leaves them, the fold's [`Raw`](crate::DeviceFold::Raw). Of elements of fewer than 32 bits whole words are
    /// left, too: the largest of `u8` is a `u32` there. Nobody looks at offsets: where they decrease or reach beyond the
    /// input, all that is said of the results is that nothing else is written.
    ///
    /// `output` may lie in a buffer of the input if there is one result, also among the elements, which are read before; along
    /// an axis before the first or behind the last of the elements; in other shapes in no buffer that is read.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuBuffer, Sum};
    ///
    /// let input = reducer.upload(&[1_i32, 2, 3])?;
    /// let output: GpuBuffer<i64> = reducer.alloc(1)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.reduce(Sum, &input).encode(&mut encoder, &output)?;
    /// // ... more of the caller's passes, which may read `output` ...
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(output.download(&reducer)?, [6]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) if `output` has fewer elements than there are results,
    /// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if it lies where it may not; otherwise as [`start`](Self::start). After an error the
    /// encoder may hold a part of the reduction, and is to be thrown away. What wgpu finds wrong only on submission, such as
    /// a buffer that is mapped, comes to the caller's own error handler then.
    pub fn encode<'t>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        output: impl Into<W::Target<'t>>,
    ) -> Result<()> {
        self.record(encoder, &output.into())
    }

    fn record(&self, encoder: &mut wgpu::CommandEncoder, target: &W::Target<'_>) -> Result<()> {
        self.reducer.context.check_alive()?;
        let (lowered, output) = self.work.to_device(&self.reducer, target)?;
        self.reducer.record_lowered(&lowered, &output, encoder)
    }

    /// Leaves results in a buffer of the caller's: what comes is that they are there. [`encode`](Self::encode) says where they may
    /// lie.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuBuffer, Matrix, Sum};
    ///
    /// let input = reducer.upload(&[1_i32, 2, 3, 4, 5, 6])?;
    /// let output: GpuBuffer<i64> = reducer.alloc(3)?;
    /// let columns = reducer.reduce(Sum, &input).columns(Matrix { rows: 2, columns: 3 });
    /// let timed = columns.output(&output).timed().run()?;
    /// println!("{:?} ns", timed.gpu_ns);
    /// assert_eq!(output.download(&reducer)?, [5, 7, 9]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    pub fn output<'t>(self, output: impl Into<W::Target<'t>>) -> Request<Output<W, W::Target<'t>>> {
        let target = output.into();
        self.map(|work| Output { work, target })
    }
}
