//! The entry point: a device, its pipelines, and the calls on them.

mod settings;

use crate::adapter;
use crate::buffer::GpuSlice;
use crate::caps::Caps;
use crate::context::Context;
use crate::decode;
use crate::element::{Element, ElementKind};
use crate::encode::{Ends, record};
use crate::error::{Error, Result};
use crate::loss::Lost;
use crate::op::{OpRecord, Operation};
use crate::part::{Part, len_of};
use crate::pending::{Continue, Finish, Pending, Then};
use crate::pipeline::Pipelines;
use crate::plan::{Plan, PlanRequest};
use crate::readback::Readback;
use crate::recording::Recording;
use crate::slices::GpuSlices;
use crate::timing::{Timed, Timer, split_times};
use crate::tuning_table::Tunings;
use crate::variant::Collective;
use std::ops::Range;
use std::sync::Arc;
#[cfg(not(target_family = "wasm"))]
use std::time::Duration;

/// Reduces data that lies on a GPU.
///
/// Cheap to clone, and on native platforms `Send` and `Sync`: clones share device and pipelines,
/// and may be used from any thread.
///
/// ```
/// use wgpu_reduce::GpuReducer;
///
/// let reducer = GpuReducer::new()?;
/// let buffer = reducer.upload(&[0.5_f32; 1000])?;
/// assert_eq!(reducer.sum(&buffer)?, 500.0);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GpuReducer {
    pub(crate) context: Arc<Context>,
    pub(crate) pipelines: Arc<Pipelines>,
    tunings: Tunings,
    #[cfg(not(target_family = "wasm"))]
    spin: Option<Duration>,
    #[cfg(not(target_family = "wasm"))]
    deadline: Option<Duration>,
}

impl GpuReducer {
    pub(crate) fn with_context(context: Context, pipelines: Pipelines) -> Self {
        let (context, pipelines) = (Arc::new(context), Arc::new(pipelines));
        Self {
            context,
            pipelines,
            tunings: Tunings::Default,
            #[cfg(not(target_family = "wasm"))]
            spin: None,
            #[cfg(not(target_family = "wasm"))]
            deadline: None,
        }
    }

    /// What the planner knows of the device: its limits, its subgroups and what kind of machine it is. For [`PlanRequest`](crate::PlanRequest)
    /// and tunings, and to ask whether there are timestamps or `f64`.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let caps = reducer.caps();
    /// let how = if caps.subgroups.is_some() { "by subgroups" } else { "by workgroup memory" };
    /// println!("{how}, {} bytes in a binding", caps.max_binding_bytes);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn caps(&self) -> Caps {
        self.context.caps
    }

    /// The adapter: its name, its driver and the backend it is reached through, as wgpu tells them. [`adapter_label`](Self::adapter_label) has them in
    /// a few words.
    #[must_use]
    pub fn adapter_info(&self) -> &wgpu::AdapterInfo {
        &self.context.info
    }

    /// Name and backend of the adapter, as in `NVIDIA H200 (Vulkan)`.
    #[must_use]
    pub fn adapter_label(&self) -> String {
        adapter::label(&self.context.info)
    }

    /// Pipelines that have been made so far, for this reducer and its clones: each is when it is first
    /// needed, and once, however many threads need it, as long as no more are in use than
    /// [`Options::pipelines_kept`](crate::Options::pipelines_kept) says.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1_u32, 2])?;
    /// reducer.sum(&buffer)?;
    /// let made = reducer.pipelines_made();
    /// reducer.sum(&buffer)?;
    /// assert_eq!((made > 0, reducer.pipelines_made()), (true, made));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn pipelines_made(&self) -> usize {
        self.pipelines.made()
    }

    /// Writes compiled pipelines to the folder that
    /// [`Options::pipeline_cache`](crate::Options::pipeline_cache) named, if there are new ones; otherwise
    /// it does nothing. It happens by itself when the last clone of the reducer is dropped; this is for
    /// programs that end without that.
    ///
    /// ```no_run
    /// # fn run(reducer: &wgpu_reduce::GpuReducer) {
    /// // Nothing is dropped on this way out.
    /// reducer.store_pipelines();
    /// std::process::exit(0);
    /// # }
    /// ```
    pub fn store_pipelines(&self) {
        self.pipelines.store();
    }

    /// The device, for the caller's own work on it. A callback for its loss takes the place of this crate's, so that
    /// [`lost`](Self::lost) and calls hear of a loss only when a call has failed by it.
    #[must_use]
    pub fn device(&self) -> &wgpu::Device {
        &self.context.device
    }

    /// The queue, for the caller's own work on it. What is submitted to it comes after the calls that have been made.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// let buffer = reducer.upload(&[1_u32, 2, 3])?;
    /// reducer.queue().write_buffer(buffer.as_wgpu(), 4, &7_u32.to_le_bytes());
    /// assert_eq!(reducer.sum(&buffer)?, 1 + 7 + 3);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    #[must_use]
    pub fn queue(&self) -> &wgpu::Queue {
        &self.context.queue
    }

    /// Waits until the device is lost, also while nobody uses it: then it is an [`Error::DeviceLost`] that says why.
    ///
    /// Native backends find out when they are asked about something, as every wait for a result does. Of a device of
    /// the caller's ([`from_wgpu`](Self::from_wgpu)), and where a callback of the caller's for the loss has taken the
    /// place of this crate's, it is told when a call has failed by the loss, and not before. Once the last clone of the
    /// reducer has gone, it may never be told.
    ///
    /// ```no_run
    /// # async fn run() -> wgpu_reduce::Result<()> {
    /// use wgpu_reduce::{GpuReducer, Options};
    ///
    /// let reducer = GpuReducer::request(&Options::default()).await?;
    /// let lost = reducer.lost();
    /// // ... on a task of its own ...
    /// println!("{}", lost.await);
    /// # Ok(())
    /// # }
    /// ```
    pub fn lost(&self) -> impl Future<Output = Error> + use<> {
        Lost::new(&self.context.loss)
    }

    /// Starts a reduction and returns at once. The input is a [`GpuBuffer`](crate::GpuBuffer), a [`GpuSlice`], or a
    /// sequence of either, which is one input of all their elements.
    ///
    /// What comes is one value of the type that [`Operation`] lists; NaN and ties are as the operation defines them.
    /// Integers, extremes, indices, counts and exact sums have the same bits on every device. Floats that round have the
    /// same bits on every run on one adapter with one tuning, and [`Operation::tolerance`] bounds their error. Of no
    /// elements the result is that of the identity, as 0 of [`Sum`](crate::Sum), or there is none: [`Error::Empty`].
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Error, Max, Sum};
    ///
    /// let buffer = reducer.upload(&[1.5_f32, -2.0, 4.0])?;
    /// let (sum, max) = (reducer.reduce(Sum, &buffer)?, reducer.reduce(Max, buffer.slice(..2)?)?);
    /// assert_eq!((sum.wait()?, max.wait()?), (3.5, 1.5));
    ///
    /// let nothing = buffer.slice(..0)?;
    /// assert_eq!(reducer.reduce(Sum, nothing)?.wait()?, 0.0);
    /// assert_eq!(reducer.reduce(Max, nothing).err(), Some(Error::Empty { operation: "max" }));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What can be told before the result is there: [`Error::Empty`] if there are no elements and the operation has no
    /// result then, [`Error::Unsupported`] if it needs `f64` and the device has none, [`Error::InvalidBuffer`] if there
    /// are 2^64 elements or more, [`Error::InvalidTuning`] if the reducer's tuning does not fit the device,
    /// [`Error::Validation`] if the buffer is another device's, mapped or destroyed, [`Error::Shader`] if the driver
    /// refuses a shader, [`Error::OutOfMemory`] and [`Error::DeviceLost`].
    pub fn reduce<'a, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
    ) -> Result<Pending<O::Output>> {
        let input = input.into();
        let len = input.len();
        let finish: Finish<O::Output> =
            Box::new(move |bytes| operation.finish(decode::value(bytes)?, len));
        self.start(operation, &input, None, finish)
    }

    /// Starts a reduction whose GPU time is measured, where the device has timestamps; otherwise as
    /// [`reduce`](Self::reduce).
    ///
    /// The time is that of the passes, in nanoseconds, from the start of the first to the end of the last, without
    /// submission and the copy to the host.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let timed = reducer.reduce_timed(Sum, &reducer.upload(&[1_u32; 4096])?)?.wait()?;
    /// assert_eq!(timed.value, 4096);
    /// match timed.gpu_ns {
    ///     Some(gpu_ns) => println!("{gpu_ns} ns"),
    ///     None => println!("the device has no timestamps"),
    /// }
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`reduce`](Self::reduce).
    pub fn reduce_timed<'a, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
    ) -> Result<Pending<Timed<O::Output>>> {
        let timer = Timer::new(&self.context)?;
        let period_ns = timer.as_ref().map(Timer::period_ns);
        let input = input.into();
        let len = input.len();
        let finish: Finish<Timed<O::Output>> = Box::new(move |bytes| {
            let (value, gpu_ns) = split_times(bytes, size_of::<O::Raw>() as u64, period_ns);
            Ok(Timed { value: operation.finish(decode::value(value)?, len)?, gpu_ns })
        });
        self.start(operation, &input, timer.as_ref(), finish)
    }

    /// Records a reduction into the caller's encoder. The result stays on the GPU, in the first
    /// element of `output`, as the operation's [`Raw`](Operation::Raw); nothing is submitted and nothing
    /// is read back. Of elements of fewer than 32 bits whole words are left, too: the largest of `u8` is
    /// a `u32` there.
    ///
    /// `output` may lie in the same buffer as `input`, also among its elements, which are read before.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuBuffer, Sum};
    ///
    /// let input = reducer.upload(&[1_i32, 2, 3])?;
    /// let output: GpuBuffer<i64> = reducer.alloc(1)?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// reducer.encode(&mut encoder, Sum, &input, &output)?;
    /// // ... more of the caller's passes, which may read `output` ...
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(output.download(&reducer)?, [6]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRange`] if `output` has no element; otherwise as [`reduce`](Self::reduce).
    /// After an error the encoder may hold a part of the reduction, and is to be thrown away. What
    /// wgpu finds wrong only on submission, such as a buffer that is mapped, comes to the caller's
    /// own error handler then.
    pub fn encode<'a, 'b, T: Element, O: Operation<T>>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
        output: impl Into<GpuSlice<'b, O::Raw>>,
    ) -> Result<()> {
        let input = input.into();
        let request = self.plan_request(operation.record(), T::KIND, input.plan_parts());
        self.encode_plan(encoder, &input.buffers(), request, Plan::new, output.into())
    }

    /// Records what `plan` makes of the request, once that knows where the result goes.
    pub(crate) fn encode_plan<R>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        inputs: &[&wgpu::Buffer],
        request: PlanRequest,
        plan: impl FnOnce(&PlanRequest) -> Result<Plan>,
        output: GpuSlice<'_, R>,
    ) -> Result<()> {
        if output.is_empty() {
            return Err(Error::InvalidRange { start: 0, end: 1, len: 0 });
        }
        self.context.check_alive()?;
        let plan = plan(&PlanRequest {
            output_offset_bytes: output.offset_bytes,
            in_place: inputs.contains(&output.buffer),
            ..request
        })
        .map_err(|error| self.with_adapter(error))?;
        let recording = plan.recording(&self.context.caps);
        self.record_into(encoder, &recording, inputs, output.buffer)
    }

    /// Records into the caller's encoder.
    pub(crate) fn record_into(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        recording: &Recording,
        inputs: &[&wgpu::Buffer],
        output: &wgpu::Buffer,
    ) -> Result<()> {
        let ends = Ends { inputs, output };
        self.context
            .scoped(0, || record(&self.context, &self.pipelines, recording, ends, encoder, None))
    }

    /// Submits what `record` leaves in an encoder of its own.
    pub(crate) fn submit_encoded(
        &self,
        record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<()>,
    ) -> Result<()> {
        let context = &self.context;
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder =
            context.scoped(0, || Ok(context.device.create_command_encoder(&descriptor)))?;
        record(&mut encoder)?;
        context.scoped(0, || {
            context.submit(Some(encoder.finish()))?;
            Ok(())
        })
    }

    /// What [`reduce`](Self::reduce) would run: passes, shaders, grids and bytes. Nothing is submitted.
    ///
    /// It depends on the lengths and offsets of the input, on the operation, the tuning and the device, and on nothing
    /// else. It is printed by `Display`, and bounds the error of a sum of floats.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let buffer = reducer.upload(&[0.5_f32; 4096])?;
    /// let plan = reducer.plan(Sum, &buffer)?;
    /// assert_eq!((plan.len, plan.input_bytes()), (4096, 16_384));
    /// // The sum of the magnitudes is 2048.
    /// assert!(plan.accuracy().error_bound(2048.0) < 0.1);
    /// println!("{plan}");
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Plan::new`].
    pub fn plan<'a, T: Element, O: Operation<T>>(
        &self,
        operation: O,
        input: impl Into<GpuSlices<'a, T>>,
    ) -> Result<Plan> {
        self.planned(&self.plan_request(operation.record(), T::KIND, input.into().plan_parts()))
    }

    /// [`Plan::new`], but its errors name the adapter.
    pub(crate) fn planned(&self, request: &PlanRequest) -> Result<Plan> {
        Plan::new(request).map_err(|error| self.with_adapter(error))
    }

    /// The error, naming the adapter.
    pub(crate) fn with_adapter(&self, error: Error) -> Error {
        match error {
            Error::Unsupported { what, .. } => {
                Error::Unsupported { what, adapter: self.adapter_label() }
            }
            error => error,
        }
    }

    pub(crate) fn plan_request(
        &self,
        operation: &'static OpRecord,
        element: ElementKind,
        input: Vec<Part>,
    ) -> PlanRequest {
        let len = len_of(&input);
        PlanRequest {
            operation,
            element,
            input,
            output_offset_bytes: 0,
            in_place: false,
            collective: Collective::for_caps(&self.context.caps),
            tuning: self.tuning(operation, element, len),
            caps: self.context.caps,
        }
    }

    fn start<T: Element, O: Operation<T>, R>(
        &self,
        operation: O,
        input: &GpuSlices<'_, T>,
        timer: Option<&Timer>,
        finish: Finish<R>,
    ) -> Result<Pending<R>> {
        self.context.check_alive()?;
        let parts = input.plan_parts();
        let plan = self.planned(&self.plan_request(operation.record(), T::KIND, parts))?;
        let recording = plan.recording(&self.context.caps);
        let bytes = size_of::<O::Raw>() as u64;
        self.submit(&recording, &input.buffers(), bytes, timer, finish)
    }

    /// Records, submits and asks for the result and, with a timer, the times behind it.
    pub(crate) fn submit<R>(
        &self,
        recording: &Recording,
        inputs: &[&wgpu::Buffer],
        result_bytes: u64,
        timer: Option<&Timer>,
        finish: Finish<R>,
    ) -> Result<Pending<R>> {
        self.submit_then(recording, inputs, result_bytes, timer, finish.into())
    }

    /// The same where more may be to read.
    pub(crate) fn submit_then<R>(
        &self,
        recording: &Recording,
        inputs: &[&wgpu::Buffer],
        result_bytes: u64,
        timer: Option<&Timer>,
        then: Then<R>,
    ) -> Result<Pending<R>> {
        self.submit_at(recording, (inputs, None), result_bytes, timer, then)
    }

    /// The same with results in a buffer of which `head` comes back first, with the times behind it, and then what
    /// `more` asks for.
    pub(crate) fn submit_head<R>(
        &self,
        recording: &Recording,
        inputs: &[&wgpu::Buffer],
        (output, head): (&wgpu::Buffer, Range<u64>),
        timer: Option<&Timer>,
        more: Continue<R>,
    ) -> Result<Pending<R>> {
        let (bytes, more) = (head.end - head.start, Then::Continue(more));
        self.submit_at(recording, (inputs, Some((output, Some(head)))), bytes, timer, more)
    }

    /// The same with results that stay in a buffer of the caller's: only times come back.
    pub(crate) fn submit_into<R>(
        &self,
        recording: &Recording,
        inputs: &[&wgpu::Buffer],
        output: &wgpu::Buffer,
        timer: Option<&Timer>,
        finish: impl FnOnce(Option<f64>) -> R + Send + 'static,
    ) -> Result<Pending<R>> {
        let period_ns = timer.map(Timer::period_ns);
        let finish: Finish<R> =
            Box::new(move |bytes| Ok(finish(split_times(bytes, NO_RESULT_BYTES, period_ns).1)));
        let ends = (inputs, Some((output, None)));
        self.submit_at(recording, ends, NO_RESULT_BYTES, timer, finish.into())
    }

    fn submit_at<R>(
        &self,
        recording: &Recording,
        (inputs, output): (&[&wgpu::Buffer], Option<Target<'_>>),
        result_bytes: u64,
        timer: Option<&Timer>,
        then: Then<R>,
    ) -> Result<Pending<R>> {
        let context = &self.context;
        let (output, head) = output.unzip();
        let bytes = result_bytes + if timer.is_some() { Timer::BYTES } else { 0 };
        let readback = Readback::of_result(context, bytes, timer.is_some())?;
        let submission = context.scoped(bytes, || {
            let mut encoder =
                context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let ends = Ends { inputs, output: output.unwrap_or_else(|| readback.target()) };
            let writes = timer.map(Timer::writes);
            record(context, &self.pipelines, recording, ends, &mut encoder, writes.as_ref())?;
            if let (Some(output), Some(head)) = (output, head.flatten()) {
                let (target, len) = (readback.target(), head.end - head.start);
                encoder.copy_buffer_to_buffer(output, head.start, target, 0, len);
            }
            if let Some(timer) = timer {
                timer.resolve(&mut encoder, readback.target(), result_bytes);
            }
            readback.record(&mut encoder, bytes);
            let submission = context.submit(Some(encoder.finish()))?;
            readback.request(context);
            Ok(submission)
        })?;
        let pending = Pending::new(context, readback, submission, then);
        #[cfg(not(target_family = "wasm"))]
        let pending = pending.with_patience(self.patience());
        Ok(pending)
    }
}

/// A buffer of the caller's for results, and what of it comes back.
type Target<'a> = (&'a wgpu::Buffer, Option<Range<u64>>);

/// What is read back where results stay: something, since a buffer cannot be empty.
const NO_RESULT_BYTES: u64 = 8;
