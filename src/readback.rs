//! From the GPU to the host: the one place that maps buffers for reading.

use crate::context::Context;
use crate::error::{Error, Result};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

/// A buffer on its way to the host.
#[derive(Debug)]
pub(crate) struct Readback {
    buffer: wgpu::Buffer,
    state: Arc<State>,
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

impl Readback {
    /// A buffer that the device can copy to and the host can read.
    pub(crate) fn new(context: &Context, bytes: u64) -> Result<Self> {
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let buffer = context.create_buffer("wgpu-reduce readback", bytes, usage, false)?;
        Ok(Self { buffer, state: Arc::default() })
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Asks for the bytes, once the copy to the buffer has been submitted.
    pub(crate) fn request(&self) {
        let state = Arc::clone(&self.state);
        self.buffer.map_async(wgpu::MapMode::Read, .., move |outcome| {
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
    pub(crate) fn wait(&self, context: &Context, submission: &wgpu::SubmissionIndex) -> Result<()> {
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

    /// The bytes, once answered.
    pub(crate) fn read<R>(&self, context: &Context, take: impl FnOnce(&[u8]) -> R) -> Result<R> {
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
        let value = {
            // What has been mapped can only be gone with its device.
            let view = self
                .buffer
                .get_mapped_range(..)
                .map_err(|error| Error::DeviceLost { reason: error.to_string() })?;
            take(&view)
        };
        self.buffer.unmap();
        Ok(value)
    }
}
