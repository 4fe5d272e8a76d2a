//! Waiting for the device, on native: the one place that polls it.

use crate::error::{Error, Result};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Blocks until the device has finished `submission` and fired the callbacks that fell to this
/// thread.
pub(crate) fn poll_until(device: &wgpu::Device, submission: &wgpu::SubmissionIndex) -> Result<()> {
    poll_as(
        device,
        wgpu::PollType::Wait { submission_index: Some(submission.clone()), timeout: None },
    )
}

/// Calls the callbacks that are due, without waiting.
pub(crate) fn poll(device: &wgpu::Device) -> Result<()> {
    poll_as(device, wgpu::PollType::Poll)
}

fn poll_as(device: &wgpu::Device, kind: wgpu::PollType) -> Result<()> {
    // wgpu reports a device that is lost while somebody waits for it by a panic.
    match catch_unwind(AssertUnwindSafe(|| device.poll(kind))) {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(wgpu::PollError::Timeout)) => Err(Error::Timeout),
        Ok(Err(error)) => Err(Error::DeviceLost { reason: error.to_string() }),
        Err(_) => Err(Error::DeviceLost { reason: "lost while waiting for it".into() }),
    }
}

/// A thread that waits on behalf of futures, started by the first that is polled. It ends when the
/// context that owns this is dropped.
///
/// `T` is what is waited for: submissions.
pub(crate) struct Waiter<T> {
    wait_for: Arc<WaitFor<T>>,
    errands: Mutex<Option<Sender<Errand<T>>>>,
}

type WaitFor<T> = dyn Fn(&T) -> Result<()> + Send + Sync;

/// Something to wait for, and whom to tell if that fails. wgpu then drops the callbacks that would
/// have told.
struct Errand<T> {
    what: T,
    on_failure: OnFailure,
}

pub(crate) type OnFailure = Box<dyn FnOnce(Error) + Send>;

impl<T> fmt::Debug for Waiter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiter").finish_non_exhaustive()
    }
}

impl Waiter<wgpu::SubmissionIndex> {
    pub(crate) fn for_device(device: wgpu::Device) -> Self {
        Self::new(move |submission| poll_until(&device, submission))
    }
}

impl<T: Send + 'static> Waiter<T> {
    fn new(wait_for: impl Fn(&T) -> Result<()> + Send + Sync + 'static) -> Self {
        Self { wait_for: Arc::new(wait_for), errands: Mutex::new(None) }
    }

    /// Waits for `what` on the thread, and calls `on_failure` if that fails.
    pub(crate) fn watch(&self, what: T, on_failure: OnFailure) -> Result<()> {
        let mut errands = self.errands.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match errands.take() {
            Some(sender) => sender,
            None => self.spawn()?,
        };
        let sent = sender.send(Errand { what, on_failure });
        *errands = Some(sender);
        sent.map_err(|_| Error::Internal { message: "the waiting thread has ended".into() })
    }

    fn spawn(&self) -> Result<Sender<Errand<T>>> {
        let (sender, receiver) = channel::<Errand<T>>();
        let wait_for = Arc::clone(&self.wait_for);
        std::thread::Builder::new()
            .name("wgpu-reduce waiter".into())
            .spawn(move || {
                for errand in receiver {
                    if let Err(error) = wait_for(&errand.what) {
                        (errand.on_failure)(error);
                    }
                }
            })
            .map_err(|error| Error::Internal { message: format!("no waiting thread: {error}") })?;
        Ok(sender)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_is_told_of_a_failure_and_only_of_that() {
        let waiter = Waiter::new(|&fails: &bool| {
            let lost = || Error::DeviceLost { reason: "gone".into() };
            if fails { Err(lost()) } else { Ok(()) }
        });
        let (told, failures) = channel();
        for fails in [false, true, false, true] {
            let told = told.clone();
            let tell = move |error| told.send((fails, error)).unwrap();
            waiter.watch(fails, Box::new(tell)).unwrap();
        }
        drop((told, waiter));
        let failures: Vec<_> = failures.iter().collect();
        assert_eq!(failures.len(), 2);
        for (fails, error) in failures {
            assert!(fails && matches!(error, Error::DeviceLost { .. }));
        }
    }
}
