//! A device with what must be known of it, shared by every handle of a reducer.

use crate::device::allowance::{Allowance, Charge, Held};
use crate::device::checks::Outstanding;
use crate::device::loss::Loss;
use crate::device::parameters::ParameterBuffers;
use crate::device::pool::Pool;
use crate::device::scope::{Subject, scoped};
use crate::error::{Error, Result};
use crate::op::accumulator::Accumulator;
use crate::plan::caps::Caps;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A device, its queue and its limits.
#[derive(Debug)]
pub(crate) struct Context {
    /// Dropped first: its thread lets go of the device.
    #[cfg(not(target_family = "wasm"))]
    waiter: crate::device::waiter::Waiter<wgpu::SubmissionIndex>,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) info: wgpu::AdapterInfo,
    pub(crate) caps: Caps,
    /// Whether the device can write timestamps.
    pub(crate) timestamps: bool,
    /// What [`Self::unread`] hands out, once it is made.
    unread: Mutex<Option<Held>>,
    /// Whether wgpu's run-time checks stay in the shaders.
    pub(crate) guarded_shaders: bool,
    /// What makes modules of shaders' texts, where tests rewrite them.
    #[cfg(feature = "rewritten")]
    pub(crate) rewrite: Option<crate::device::adapter::Rewrite>,
    /// Whether nobody had the device before.
    pub(crate) is_own: bool,
    /// Where results are written.
    pub(crate) results: Pool,
    /// Where results are copied to for the host.
    pub(crate) readbacks: Pool,
    /// Where results are written and read by the host, on devices that can map what they compute
    /// with.
    pub(crate) mapped_results: Pool,
    /// Buffers between passes.
    pub(crate) scratch: Pool,
    /// Those that are zero whenever nobody uses them, as new ones are.
    pub(crate) counters: Pool,
    pub(crate) parameters: ParameterBuffers,
    /// What shaders look up.
    pub(crate) tables: ParameterBuffers,
    /// What the device has still to tell.
    pub(crate) outstanding: Outstanding,
    /// How often it has told of something late that had seemed to be there.
    pub(crate) late_failures: AtomicUsize,
    pub(crate) loss: Arc<Loss>,
    /// What may be allocated, and is.
    pub(crate) allowance: Arc<Allowance>,
    #[cfg(test)]
    pub(crate) faults: crate::tests::faults::Faults,
    /// Whether bindings go on to the end of their buffers, and what is behind what is asked for.
    #[cfg(test)]
    pub(crate) beyond: crate::tests::overreads::Beyond,
    /// The longest deadline that a handle has been given.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) longest_deadline: Mutex<Option<std::time::Duration>>,
}

/// Whoever drops the last handle of a queue waits in wgpu until the device has done all work, however long that takes. Where
/// there are deadlines, and the device is the library's own, this waits no longer than the longest of them, and then keeps a
/// handle for good.
#[cfg(not(target_family = "wasm"))]
impl Drop for Context {
    fn drop(&mut self) {
        if self.loss.is_in_another_process() {
            // wgpu would wait for what drivers did in the process that this was forked from.
            return std::mem::forget(self.queue.clone());
        }
        let longest = self.longest_deadline.get_mut().unwrap_or_else(PoisonError::into_inner);
        let waits = self.is_own && self.loss.error().is_none();
        let Some(deadline) = longest.filter(|_| waits) else { return };
        let patience =
            crate::device::waiter::Patience { deadline: Some(deadline), ..Default::default() };
        if crate::device::waiter::poll_until(&self.device, None, &patience.limit())
            == Err(Error::Timeout)
        {
            std::mem::forget(self.queue.clone());
        }
    }
}

impl Context {
    pub(crate) fn new(
        device: wgpu::Device,
        queue: wgpu::Queue,
        info: wgpu::AdapterInfo,
        features: wgpu::Features,
        loss: Arc<Loss>,
    ) -> Result<Self> {
        let caps = Caps::new(&device.limits(), features, &info);
        let timestamps = features.contains(wgpu::Features::TIMESTAMP_QUERY);
        let context = Self {
            #[cfg(not(target_family = "wasm"))]
            waiter: crate::device::waiter::Waiter::for_device(device.clone()),
            device,
            queue,
            info,
            caps,
            timestamps,
            unread: Mutex::default(),
            guarded_shaders: false,
            #[cfg(feature = "rewritten")]
            rewrite: None,
            is_own: false,
            results: Pool::new("wgpu-reduce result", RESULT_USAGE, 0),
            mapped_results: Pool::new("wgpu-reduce mapped result", MAPPED_RESULT_USAGE, 0),
            readbacks: Pool::for_reading("wgpu-reduce readback", READBACK_USAGE),
            scratch: Pool::new("wgpu-reduce scratch", SCRATCH_USAGE, RESTING_SCRATCH),
            counters: Pool::new("wgpu-reduce counters", SCRATCH_USAGE, RESTING_SCRATCH),
            parameters: ParameterBuffers::new(wgpu::BufferUsages::UNIFORM),
            tables: ParameterBuffers::new(wgpu::BufferUsages::STORAGE),
            outstanding: Outstanding::default(),
            late_failures: AtomicUsize::new(0),
            loss,
            allowance: Allowance::new(None),
            #[cfg(not(target_family = "wasm"))]
            longest_deadline: Mutex::default(),
            #[cfg(test)]
            beyond: crate::tests::overreads::Beyond::default(),
            #[cfg(test)]
            faults: crate::tests::faults::Faults::default(),
        };
        // A device on which nothing can be made is told of now.
        context.unread()?;
        Ok(context)
    }

    /// What is bound where a kernel has a binding that it will not read.
    pub(crate) fn unread(&self) -> Result<Held> {
        let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(buffer) = &*unread {
            return Ok(buffer.clone());
        }
        let usage = wgpu::BufferUsages::STORAGE;
        let buffer = self.create_buffer("wgpu-reduce unread", UNREAD_BYTES, usage, false)?;
        Ok(unread.insert(buffer).clone())
    }

    /// Fails if the device is known to be lost.
    pub(crate) fn check_alive(&self) -> Result<()> {
        self.loss.error().map_or(Ok(()), Err)
    }

    /// Creates a buffer, uninitialised as far as wgpu allows.
    pub(crate) fn create_buffer(
        &self,
        label: &str,
        size: u64,
        usage: wgpu::BufferUsages,
        mapped_at_creation: bool,
    ) -> Result<Held> {
        self.check_alive()?;
        self.caps.check_buffer(size)?;
        let charge = self.charge(size)?;
        #[cfg(test)]
        self.meet(crate::tests::faults::Fault::Allocation)?;
        #[cfg(test)]
        let is_refused = self.meet(crate::tests::faults::Fault::Refusal).is_err();
        #[cfg(test)]
        let usage = if is_refused { wgpu::BufferUsages::empty() } else { usage };
        let descriptor =
            wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation };
        let buffer = self.scoped(size, || Ok(self.device.create_buffer(&descriptor)))?;
        Ok(Held::new(buffer, charge))
    }

    /// Takes so many bytes of what may be allocated. What is kept for later goes before they are refused.
    pub(crate) fn charge(&self, bytes: u64) -> Result<Charge> {
        self.allowance.take(bytes).or_else(|_| {
            self.forget_pools();
            self.allowance.take(bytes)
        })
    }

    /// Runs `work` with every error of the device caught; `bytes` is what it allocates. What the device reports later
    /// fails every result that is asked for until one of them has told it.
    ///
    /// # Errors
    ///
    /// What `work` returns, or what the device reported where it reports at once. What a lost device
    /// says of the objects that it no longer makes is reported as its loss.
    pub(crate) fn scoped<R>(&self, bytes: u64, work: impl FnOnce() -> Result<R>) -> Result<R> {
        self.scoped_about(|_| Subject::Bytes(bytes), work)
    }

    /// As [`scoped`](Self::scoped), for any subject.
    pub(crate) fn scoped_about<R>(
        &self,
        subject: impl FnOnce(&R) -> Subject,
        work: impl FnOnce() -> Result<R>,
    ) -> Result<R> {
        let done = scoped(&self.device, subject, work).map_err(|error| match error {
            Error::Validation { message }
            | Error::Shader { message, .. }
            | Error::CustomShader { message, .. }
                if self.is_lost() =>
            {
                self.loss.tell(|| message.clone());
                Error::DeviceLost { reason: message }
            }
            error => error,
        });
        let (value, late) = done?;
        if let Some(late) = late {
            self.outstanding.keep(late);
        }
        Ok(value)
    }

    /// Forgets what is kept for later, of which something has turned out not to be there.
    pub(crate) fn distrust_kept(&self) {
        self.late_failures.fetch_add(1, Ordering::Relaxed);
        self.forget_buffers();
    }

    /// Forgets the buffers that are kept for later.
    pub(crate) fn forget_buffers(&self) {
        self.forget_pools();
        *self.unread.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn forget_pools(&self) {
        let Self { results, mapped_results, readbacks, scratch, counters, .. } = self;
        for pool in [results, mapped_results, readbacks, scratch, counters] {
            pool.clear();
        }
        for buffers in [&self.parameters, &self.tables] {
            buffers.clear();
        }
    }

    /// Hands work to the device; the caller has opened an error scope.
    #[cfg_attr(not(test), expect(clippy::unnecessary_wraps, reason = "tests let it fail"))]
    pub(crate) fn submit(
        &self,
        commands: Option<wgpu::CommandBuffer>,
    ) -> Result<wgpu::SubmissionIndex> {
        #[cfg(test)]
        self.meet(crate::tests::faults::Fault::Submission)?;
        #[cfg(test)]
        if self.meet(crate::tests::faults::Fault::Refusal).is_err() {
            let refused = crate::tests::faults::refused_commands(&self.device);
            return Ok(self.queue.submit(commands.into_iter().chain([refused])));
        }
        Ok(self.queue.submit(commands))
    }

    /// Fails, or loses the device, if a test wants it so.
    #[cfg(test)]
    pub(crate) fn meet(&self, met: crate::tests::faults::Fault) -> Result<()> {
        self.faults.meet(met, &self.device)
    }

    /// Whether the device does what fails on a living one for want of memory alone. Its callback may come later than
    /// the errors, and with a caller's device it is the caller's.
    pub(crate) fn is_lost(&self) -> bool {
        let tells = |outcome: &Result<()>| {
            matches!(outcome, Err(Error::Validation { .. } | Error::DeviceLost { .. }))
        };
        let descriptor = wgpu::BufferDescriptor {
            label: Some("wgpu-reduce probe"),
            size: UNREAD_BYTES,
            usage: wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        let buffer = scoped(
            &self.device,
            |_| Subject::Bytes(UNREAD_BYTES),
            || Ok(self.device.create_buffer(&descriptor)),
        );
        let buffer = match buffer {
            Ok((buffer, _)) => buffer,
            Err(error) => return tells(&Err(error)),
        };
        // Nothing is written: that a buffer is none is told before, and nothing is left for the next submission.
        let write = || {
            self.queue.write_buffer(&buffer, 0, &[]);
            Ok(())
        };
        tells(&scoped(&self.device, |()| Subject::Bytes(0), write).map(|_| ()))
    }

    /// Calls the callbacks that are due, without waiting. Whoever waits has looked whether this is the device's process.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn poll(&self) -> Result<()> {
        self.loss.told().map_or(Ok(()), Err)?;
        self.heard(crate::device::waiter::poll(&self.device))
    }

    /// Blocks until `submission` is done and callbacks have been called, by this thread or another.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn wait(
        &self,
        submission: &wgpu::SubmissionIndex,
        limit: &crate::device::waiter::Limit,
    ) -> Result<()> {
        self.loss.told().map_or(Ok(()), Err)?;
        self.heard(crate::device::waiter::poll_until(&self.device, Some(submission), limit))
    }

    /// Who waits hears of a loss before its callback is called, or that of a caller is. A panic of what a poll calls back is none.
    #[cfg(not(target_family = "wasm"))]
    fn heard(&self, outcome: Result<()>) -> Result<()> {
        match &outcome {
            Err(Error::DeviceLost { reason }) if self.is_lost() => {
                self.loss.tell(|| reason.clone());
            }
            _ => {}
        }
        outcome
    }

    /// Sees to it that `submission`'s callbacks are called without anybody blocking on it, and that `answer` is
    /// told if they will never be, or not within `limit`.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn watch(
        &self,
        submission: &wgpu::SubmissionIndex,
        limit: crate::device::waiter::Limit,
        answer: impl crate::device::waiter::Answered,
    ) -> Result<()> {
        self.waiter.watch(submission.clone(), limit, answer)
    }
}

/// Scratch buffers of a size that rest before one is used again.
const RESTING_SCRATCH: usize = 4;

const SCRATCH_USAGE: wgpu::BufferUsages = {
    // Passes tell each other parameters, too.
    let usage = wgpu::BufferUsages::STORAGE
        .union(wgpu::BufferUsages::UNIFORM)
        .union(wgpu::BufferUsages::COPY_DST);
    // Tests look at what is behind what is used of them.
    if cfg!(test) { usage.union(wgpu::BufferUsages::COPY_SRC) } else { usage }
};

const READBACK_USAGE: wgpu::BufferUsages =
    wgpu::BufferUsages::MAP_READ.union(wgpu::BufferUsages::COPY_DST);

const RESULT_USAGE: wgpu::BufferUsages = SCRATCH_USAGE.union(wgpu::BufferUsages::COPY_SRC);

const MAPPED_RESULT_USAGE: wgpu::BufferUsages = READBACK_USAGE.union(wgpu::BufferUsages::STORAGE);

/// As much as one of anything that a kernel may have in an array there: the largest accumulator.
const UNREAD_BYTES: u64 = 4 * Accumulator::MOST_WORDS as u64;
