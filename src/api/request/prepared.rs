//! Requests that are resolved once.

use crate::api::pending::Pending;
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::Lowered;
use crate::api::request::work::{HostWork, Reader};
use crate::api::submit::{Back, Member};
use crate::device::allowance::Held;
use crate::device::encode::{Ends, Ready};
use crate::device::readback::{Kept, Readback, Slots};
use crate::device::timing::Timer;
use crate::error::Result;
use crate::plan::recording::Recording;
use std::fmt;
use std::sync::Arc;

/// A request with everything that running it takes: plan, pipelines, bindings and buffers. [`Request::prepare`](crate::Request::prepare) makes it.
///
/// Each run reads what its input buffers have then. Runs may be on their way at once, also from several threads; each has
/// a result of its own, but where results stay in a buffer of the caller's. The GPU runs them in the order in which they were
/// started. It keeps its buffers until it is dropped.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::Max;
///
/// let buffer = reducer.upload(&[1_u32, 2, 3])?;
/// let largest = reducer.reduce(Max, &buffer).prepare()?;
/// let before = largest.start()?;
/// reducer.write(&buffer, &[7, 8, 9])?;
/// assert_eq!((before.wait()?, largest.run()?), (3, 9));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
pub struct Prepared<R> {
    reducer: GpuReducer,
    /// Commands, and the caller's buffers.
    recording: Recording,
    inputs: Vec<Held>,
    /// The buffer of the caller's that results stay in, and what runs it.
    place: Option<(wgpu::Buffer, Ready)>,
    is_timed: bool,
    back_bytes: u64,
    /// Where what comes back lands, with what a run of its own takes.
    slots: Arc<Slots>,
    reader: Reader<R>,
}

impl<R> fmt::Debug for Prepared<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("recording", &self.recording).finish_non_exhaustive()
    }
}

impl<R: Send + 'static> Prepared<R> {
    pub(crate) fn new<W: HostWork<Output = R>>(reducer: &GpuReducer, work: &W) -> Result<Self> {
        reducer.context.check_alive()?;
        let (lowered, reader) = work.to_host(reducer, true)?;
        let back = Member::new(&lowered, work.place(), W::IS_TIMED).back(None);
        let recording = lowered.plan.recording;
        let Lowered { inputs, .. } = lowered;
        let mut prepared = Self {
            reducer: reducer.clone(),
            recording,
            inputs,
            place: None,
            is_timed: W::IS_TIMED,
            back_bytes: back.bytes,
            slots: Arc::default(),
            reader,
        };
        if let Some(buffer) = work.place() {
            prepared.place = Some((buffer.clone(), prepared.ready(buffer)?));
        }
        // The first run finds it there.
        prepared.slots.give(prepared.slot()?);
        Ok(prepared)
    }

    /// What runs it with results in a buffer.
    fn ready(&self, output: &wgpu::Buffer) -> Result<Ready> {
        let GpuReducer { context, pipelines, .. } = &self.reducer;
        let inputs: Vec<_> = self.inputs.iter().map(|held| &held.buffer).collect();
        let ends = Ends { inputs: &inputs, output };
        context.scoped(0, || Ready::new(context, pipelines, &self.recording, ends))
    }

    /// Room for what comes back, and what its run takes.
    fn slot(&self) -> Result<(Readback, Kept)> {
        let context = &self.reducer.context;
        let timer = if self.is_timed { Timer::new(context)? } else { None };
        let bytes = self.back(timer.as_ref()).size_bytes();
        let readback = Readback::of_result(context, bytes, timer.is_some())?;
        let ready = match &self.place {
            Some(_) => None,
            None => Some(self.ready(readback.target())?),
        };
        Ok((readback, Kept { ready, timer }))
    }

    fn back(&self, timer: Option<&Timer>) -> Back {
        Back { bytes: self.back_bytes, period_ns: timer.map(Timer::period_ns) }
    }

    /// Starts a run, and returns at once.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// # pollster::block_on(async {
    /// use wgpu_reduce::Sum;
    ///
    /// let sum = reducer.reduce(Sum, &reducer.upload(&[1_u32, 2])?).prepare()?;
    /// assert_eq!((sum.start()?.await?, sum.start()?.await?), (3, 3));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// # })?;
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`](crate::Error::DeviceLost), [`Error::OutOfMemory`](crate::Error::OutOfMemory), and
    /// [`Error::Validation`](crate::Error::Validation) if a buffer is mapped or destroyed meanwhile.
    pub fn start(&self) -> Result<Pending<R>> {
        let context = &self.reducer.context;
        context.check_alive()?;
        let (readback, kept) = match self.slots.take() {
            Some(slot) => slot,
            None => self.slot()?,
        };
        let Kept { ready, timer } = &kept;
        let back = self.back(timer.as_ref());
        let submission = self.reducer.launch(0, &[&readback], |encoder| {
            let (output, ready) = match (&self.place, ready) {
                (Some((output, ready)), _) => (output, ready),
                (None, Some(ready)) => (readback.target(), ready),
                (None, None) => {
                    let message = "nothing runs a prepared request".into();
                    return Err(crate::error::Error::Internal { message });
                }
            };
            let writes = timer.as_ref().map(Timer::writes);
            ready.play(context, &self.recording, output, encoder, writes.as_ref());
            if let Some(timer) = timer {
                timer.resolve(encoder, readback.target(), back.bytes);
            }
            readback.record(encoder, back.size_bytes());
            Ok(())
        })?;
        let readback = readback.kept(&self.slots, kept);
        let arrival = self.reducer.arrival(readback, submission);
        Ok(Pending::new(arrival, back.then(Arc::clone(&self.reader))))
    }

    /// Runs it, and blocks until its result is there. Not in browsers.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start) and [`Pending::wait`].
    #[cfg(not(target_family = "wasm"))]
    pub fn run(&self) -> Result<R> {
        self.start()?.wait()
    }

    /// Records a run into the caller's encoder; nothing is submitted. Its results stay in the buffer that
    /// [`Request::output`](crate::Request::output) has named. Nobody measures its time, of a timed request neither.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuBuffer, Sum};
    ///
    /// let (input, output): (_, GpuBuffer<u64>) = (reducer.upload(&[1_u32, 2])?, reducer.alloc(1)?);
    /// let sum = reducer.reduce(Sum, &input).output(&output).prepare()?;
    /// let mut encoder = reducer.device().create_command_encoder(&Default::default());
    /// sum.encode(&mut encoder)?;
    /// reducer.queue().submit([encoder.finish()]);
    /// assert_eq!(output.download(&reducer)?, [3]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if no buffer has been named; otherwise as [`start`](Self::start).
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
        let context = &self.reducer.context;
        context.check_alive()?;
        let Some((output, ready)) = &self.place else {
            let what =
                "the request was prepared without a buffer for its results: name one by `output`";
            return Err(crate::error::Error::InvalidBuffer { what: what.into() });
        };
        context.scoped(0, || {
            ready.play(context, &self.recording, output, encoder, None);
            Ok(())
        })
    }
}
