//! Buffers that the host asks for, and waits for: the one place that maps what a device has used.

use crate::device::context::Context;
#[cfg(not(target_family = "wasm"))]
use crate::device::waiter::{Answered, Patience};
use crate::device::wakers::wake;
use crate::error::{Error, Result};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
#[cfg(not(target_family = "wasm"))]
use std::time::Duration;

/// One request for a buffer to be mapped, and its answer.
#[derive(Debug, Default, Clone)]
pub(crate) struct Mapping {
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    slot: Mutex<Slot>,
    answered: Condvar,
}

#[derive(Debug, Default)]
struct Slot {
    outcome: Option<Outcome>,
    waker: Option<Waker>,
}

#[derive(Debug, Clone, PartialEq)]
enum Outcome {
    Told(Result<()>),
    /// The callback is gone. So it is of a device that is, and of one that lives if a poll of wgpu's has panicked that had
    /// mapped the buffer and was about to tell.
    Dropped,
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the answer, unless there is one, and wakes whoever waits for it.
    fn answer(&self, outcome: Outcome) {
        let waker = {
            let mut slot = self.lock();
            slot.outcome.get_or_insert(outcome);
            slot.waker.take()
        };
        self.answered.notify_all();
        if let Some(waker) = waker {
            wake(waker);
        }
    }
}

#[cfg(not(target_family = "wasm"))]
impl Answered for Arc<State> {
    fn is_there(&self) -> bool {
        self.lock().outcome.is_some()
    }

    fn fail(&self, error: Error) {
        self.answer(Outcome::Told(Err(error)));
    }
}

/// What wgpu calls back. Of a device that is gone it may drop callbacks instead; that is an answer, too, so
/// that nobody waits for ever.
struct Promise(Option<Arc<State>>);

impl Promise {
    fn keep(mut self, outcome: Result<()>) {
        if let Some(state) = self.0.take() {
            state.answer(Outcome::Told(outcome));
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if let Some(state) = self.0.take() {
            state.answer(Outcome::Dropped);
        }
    }
}

/// Gives a buffer that the host has read or written back to the device. Fails if that has gone: wgpu reports it as an error that
/// nobody else is to hear.
pub(crate) fn unmap(context: &Context, buffer: &wgpu::Buffer) -> Result<()> {
    // Browsers have nothing to say of it.
    #[cfg(target_family = "wasm")]
    let _ = context;
    #[cfg(target_family = "wasm")]
    buffer.unmap();
    #[cfg(not(target_family = "wasm"))]
    context.scoped(buffer.size(), || {
        buffer.unmap();
        Ok(())
    })?;
    Ok(())
}

impl Mapping {
    /// Forgets the answer, for the buffer to be asked for again.
    pub(crate) fn renew(&mut self) {
        match Arc::get_mut(&mut self.state) {
            Some(state) => *state = State::default(),
            // Somebody has still to drop the callback.
            None => self.state = Arc::default(),
        }
    }

    /// Asks for all of a buffer, once what uses it has been submitted.
    #[cfg_attr(not(test), expect(unused_variables, reason = "of use to tests of failures alone"))]
    pub(crate) fn request(&self, context: &Context, buffer: &wgpu::Buffer, mode: wgpu::MapMode) {
        let promise = Promise(Some(Arc::clone(&self.state)));
        #[cfg(test)]
        if let Err(error) = context.meet(crate::tests::faults::Fault::Mapping) {
            return promise.keep(Err(error));
        }
        #[cfg(test)]
        if context.meet(crate::tests::faults::Fault::Answer).is_err() {
            return std::mem::forget(promise);
        }
        buffer.map_async(mode, .., move |outcome| {
            promise.keep(outcome.map_err(|error| Error::DeviceLost {
                reason: format!("a buffer could not be mapped: {error}"),
            }));
        });
    }

    /// For whoever answers the request by an error when nobody else does.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn answered(&self) -> impl Answered + use<> {
        Arc::clone(&self.state)
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
        patience: Patience,
    ) -> Result<()> {
        context.check_alive()?;
        let limit = patience.limit();
        while patience.spins(&limit) {
            context.poll()?;
            if self.state.lock().outcome.is_some() {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        loop {
            let polled = context.wait(submission, &limit);
            let slot = self.state.lock();
            if slot.outcome.is_some() {
                return Ok(());
            }
            polled?;
            // Another thread's poll took this callback and is about to call it.
            let (slot, _) = self
                .state
                .answered
                .wait_timeout(slot, Duration::from_millis(1))
                .unwrap_or_else(PoisonError::into_inner);
            if slot.outcome.is_some() {
                return Ok(());
            }
            limit.check()?;
        }
    }

    /// The answer. A device that is known to be lost says why.
    pub(crate) fn answer(&self, context: &Context) -> Result<()> {
        // It stays, for whoever looks whether there is one.
        let outcome = self.state.lock().outcome.clone();
        match outcome {
            Some(Outcome::Told(Ok(()))) => Ok(()),
            Some(Outcome::Told(Err(error @ Error::Timeout))) => Err(error),
            Some(Outcome::Told(Err(error))) => context.check_alive().and(Err(error)),
            Some(Outcome::Dropped) => {
                context.check_alive()?;
                if !context.is_lost() {
                    // Whoever reads it is told if it is not mapped.
                    return Ok(());
                }
                let reason = "it never answered a request to map a buffer".into();
                Err(Error::DeviceLost { reason })
            }
            None => Err(Error::Internal { message: "used before it was answered".into() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Mapping, Outcome, Promise, State};
    use crate::GpuReducer;
    use crate::error::Error;
    use std::sync::Arc;

    #[test]
    fn a_callback_that_is_dropped_is_an_answer() {
        let mapping = Mapping::default();
        drop(Promise(Some(Arc::clone(&mapping.state))));
        assert_eq!(mapping.state.lock().outcome, Some(Outcome::Dropped));
        let Ok(reducer) = GpuReducer::new() else {
            assert!(std::env::var_os("WGPU_REDUCE_ALLOW_NO_ADAPTER").is_some(), "no adapter");
            return;
        };
        assert_eq!(mapping.answer(&reducer.context), Ok(()));
        reducer.device().destroy();
        let gone = mapping.answer(&reducer.context);
        assert!(matches!(gone, Err(Error::DeviceLost { .. })), "{gone:?}");
    }

    #[test]
    fn the_first_answer_counts() {
        let state = Arc::<State>::default();
        Promise(Some(Arc::clone(&state))).keep(Ok(()));
        state.answer(Outcome::Told(Err(Error::Timeout)));
        assert_eq!(state.lock().outcome, Some(Outcome::Told(Ok(()))));
    }
}
