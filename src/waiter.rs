//! Waiting for the device, on native: the one place that polls it.

use crate::error::{Error, Result};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long somebody waits for a device, and how.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Patience {
    /// How long the device is asked again and again before the system is let wake the thread.
    pub(crate) spin: Duration,
    /// How long it may take in all; for ever, if nothing is said.
    pub(crate) deadline: Option<Duration>,
}

/// When somebody's patience ends who has begun to wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    started: Instant,
    deadline: Option<Duration>,
}

impl Patience {
    /// From now on.
    pub(crate) fn limit(self) -> Limit {
        Limit { started: Instant::now(), deadline: self.deadline }
    }

    /// Whether it is still time to spin.
    pub(crate) fn spins(self, limit: &Limit) -> bool {
        limit.started.elapsed() < self.spin.min(self.deadline.unwrap_or(Duration::MAX))
    }
}

impl Limit {
    /// What is left.
    fn left(&self) -> Duration {
        let deadline = self.deadline.unwrap_or(Duration::MAX);
        deadline.saturating_sub(self.started.elapsed())
    }

    /// Fails if nothing is left.
    pub(crate) fn check(&self) -> Result<()> {
        if self.left().is_zero() { Err(Error::Timeout) } else { Ok(()) }
    }
}

/// As long as wgpu is let wait at a time. Through GL it holds a lock meanwhile that other threads give up on
/// after a second, and says that time is over after two.
const STEP: Duration = Duration::from_millis(100);

/// Blocks until the device has finished `submission` and fired the callbacks that fell to this
/// thread.
pub(crate) fn poll_until(
    device: &wgpu::Device,
    submission: &wgpu::SubmissionIndex,
    limit: &Limit,
) -> Result<()> {
    loop {
        let timeout = Some(limit.left().min(STEP));
        let submission_index = Some(submission.clone());
        match poll_as(device, wgpu::PollType::Wait { submission_index, timeout }) {
            Err(Error::Timeout) => limit.check()?,
            outcome => return outcome,
        }
    }
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

/// Work of a device, and how long it may take.
pub(crate) type Submitted = (wgpu::SubmissionIndex, Limit);

impl Waiter<Submitted> {
    pub(crate) fn for_device(device: wgpu::Device) -> Self {
        Self::new(move |(submission, limit)| poll_until(&device, submission, limit))
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
    fn patience_ends_when_it_is_said_to() {
        let for_ever = Patience { spin: Duration::from_secs(9), deadline: None };
        assert!(for_ever.limit().check().is_ok() && for_ever.spins(&for_ever.limit()));
        let none = Patience { deadline: Some(Duration::ZERO), ..for_ever };
        assert_eq!(none.limit().check(), Err(Error::Timeout));
        assert!(!none.spins(&none.limit()));
        let hour = Patience { deadline: Some(Duration::from_secs(3600)), ..for_ever };
        assert!(hour.limit().check().is_ok());
    }

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
