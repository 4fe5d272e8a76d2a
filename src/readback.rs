//! From the GPU to the host: the one place that maps buffers for reading.

use crate::context::Context;
use crate::error::{Error, Result};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
#[cfg(not(target_family = "wasm"))]
use std::time::{Duration, Instant};

/// A result on its way to the host.
#[derive(Debug)]
pub(crate) struct Readback {
    landing: Landing,
    state: Arc<State>,
}

/// Where the device leaves what the host will read.
#[derive(Debug, Clone)]
enum Landing {
    /// Where shaders write: the host can map that.
    Direct { result: wgpu::Buffer },
    /// In a copy of what shaders write.
    Copied { result: wgpu::Buffer, copy: wgpu::Buffer },
    /// In a copy of the caller's buffer.
    Copy { copy: wgpu::Buffer },
}

#[derive(Debug, Default)]
struct State {
    slot: Mutex<Slot>,
    mapped: Condvar,
}

#[derive(Debug, Default)]
struct Slot {
    outcome: Option<Result<()>>,
    waker: Option<Waker>,
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the answer, unless there is one, and wakes whoever waits for it.
    fn answer(&self, outcome: Result<()>) {
        let waker = {
            let mut slot = self.lock();
            slot.outcome.get_or_insert(outcome);
            slot.waker.take()
        };
        self.mapped.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Of results that shaders write where the host reads them.
const MOST_DIRECT_BYTES: u64 = 64 << 10;

impl Readback {
    /// For `bytes` that shaders write: where the host can map them, if the device allows that and
    /// `timed` does not forbid it. A pass that writes to the host's memory ends later, by a
    /// microsecond; a copy takes longer, but after the pass. Results that are many are copied, too: what
    /// shaders write here and there is slow on its way to the host.
    pub(crate) fn of_result(context: &Context, bytes: u64, timed: bool) -> Result<Self> {
        let landing = if context.caps.mappable_results && !timed && bytes <= MOST_DIRECT_BYTES {
            Landing::Direct { result: context.mapped_results.take(context, bytes)? }
        } else {
            let result = context.results.take(context, bytes)?;
            Landing::Copied { result, copy: context.readbacks.take(context, bytes)? }
        };
        Ok(Self { landing, state: Arc::default() })
    }

    /// For `bytes` to be copied from elsewhere to [`Readback::target`].
    pub(crate) fn of_copy(context: &Context, bytes: u64) -> Result<Self> {
        let copy = context.readbacks.take(context, bytes)?;
        Ok(Self { landing: Landing::Copy { copy }, state: Arc::default() })
    }

    /// What is written: by shaders, or by copies.
    pub(crate) const fn target(&self) -> &wgpu::Buffer {
        match &self.landing {
            Landing::Direct { result } | Landing::Copied { result, .. } => result,
            Landing::Copy { copy } => copy,
        }
    }

    /// Records what brings the first `bytes` of the target to where the host reads them.
    pub(crate) fn record(&self, encoder: &mut wgpu::CommandEncoder, bytes: u64) {
        if let Landing::Copied { result, copy } = &self.landing {
            encoder.copy_buffer_to_buffer(result, 0, copy, 0, bytes);
        }
    }

    const fn mapped(&self) -> &wgpu::Buffer {
        match &self.landing {
            Landing::Direct { result: buffer }
            | Landing::Copied { copy: buffer, .. }
            | Landing::Copy { copy: buffer } => buffer,
        }
    }

    /// Asks for the bytes, once what writes them has been submitted.
    pub(crate) fn request(&self) {
        let state = Arc::clone(&self.state);
        self.mapped().map_async(wgpu::MapMode::Read, .., move |outcome| {
            state.answer(outcome.map_err(|error| Error::DeviceLost {
                reason: format!("the result could not be read back: {error}"),
            }));
        });
    }

    /// Answers the request by an error, for when nobody else will.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn failure(&self) -> impl FnOnce(Error) + Send + use<> {
        let state = Arc::clone(&self.state);
        move |error| state.answer(Err(error))
    }

    /// Whether the request has been answered; if not, `waker` is woken when it is.
    pub(crate) fn is_answered(&self, waker: &Waker) -> bool {
        let mut slot = self.state.lock();
        if slot.outcome.is_none() {
            slot.waker = Some(waker.clone());
        }
        slot.outcome.is_some()
    }

    /// Blocks until the request has been answered.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn wait(
        &self,
        context: &Context,
        submission: &wgpu::SubmissionIndex,
        spin: Duration,
    ) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < spin {
            context.poll()?;
            if self.state.lock().outcome.is_some() {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        loop {
            let polled = context.wait(submission);
            let slot = self.state.lock();
            if slot.outcome.is_some() {
                return Ok(());
            }
            polled?;
            // Another thread's poll took this callback and is about to call it.
            let (slot, _) = self
                .state
                .mapped
                .wait_timeout(slot, Duration::from_millis(1))
                .unwrap_or_else(PoisonError::into_inner);
            if slot.outcome.is_some() {
                return Ok(());
            }
        }
    }

    /// The bytes, once answered. The buffers go back to where they came from.
    pub(crate) fn read<R>(
        &mut self,
        context: &Context,
        take: impl FnOnce(&[u8]) -> R,
    ) -> Result<R> {
        let outcome = self.state.lock().outcome.take();
        match outcome {
            Some(Ok(())) => {}
            Some(Err(error)) => {
                context.check_alive()?;
                return Err(error);
            }
            None => {
                return Err(Error::Internal { message: "read before it was answered".into() });
            }
        }
        let mapped = self.mapped();
        let value = {
            // What has been mapped can only be gone with its device.
            let view = mapped
                .get_mapped_range(..)
                .map_err(|error| Error::DeviceLost { reason: error.to_string() })?;
            take(&view)
        };
        mapped.unmap();
        match self.landing.clone() {
            Landing::Direct { result } => context.mapped_results.give(result),
            Landing::Copied { result, copy } => {
                context.results.give(result);
                context.readbacks.give(copy);
            }
            Landing::Copy { copy } => context.readbacks.give(copy),
        }
        Ok(value)
    }
}
