//! Waiting for the device, on native: the one place that polls it.

use crate::error::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

/// Blocks until the device has finished `submission` and fired the callbacks that fell to this
/// thread.
pub(crate) fn poll_until(device: &wgpu::Device, submission: &wgpu::SubmissionIndex) -> Result<()> {
    let wait = wgpu::PollType::Wait { submission_index: Some(submission.clone()), timeout: None };
    // wgpu reports a device that is lost while somebody waits for it by a panic.
    match catch_unwind(AssertUnwindSafe(|| device.poll(wait))) {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(wgpu::PollError::Timeout)) => Err(Error::Timeout),
        Ok(Err(error)) => Err(Error::DeviceLost { reason: error.to_string() }),
        Err(_) => Err(Error::DeviceLost { reason: "lost while waiting for it".into() }),
    }
}

/// A thread that waits for submissions on behalf of futures, started by the first that is polled.
/// It ends when the context that owns this is dropped.
#[derive(Debug)]
pub(crate) struct Waiter {
    device: wgpu::Device,
    submissions: Mutex<Option<Sender<wgpu::SubmissionIndex>>>,
}

impl Waiter {
    pub(crate) fn new(device: wgpu::Device) -> Self {
        Self { device, submissions: Mutex::new(None) }
    }

    pub(crate) fn watch(&self, submission: wgpu::SubmissionIndex) -> Result<()> {
        let mut sender = self.submissions.lock().unwrap_or_else(PoisonError::into_inner);
        if sender.is_none() {
            *sender = Some(self.spawn()?);
        }
        let sent = sender.as_ref().map(|sender| sender.send(submission));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(Error::Internal { message: "the waiting thread has ended".into() }),
        }
    }

    fn spawn(&self) -> Result<Sender<wgpu::SubmissionIndex>> {
        let (sender, receiver) = channel();
        let device = self.device.clone();
        std::thread::Builder::new()
            .name("wgpu-reduce waiter".into())
            .spawn(move || {
                for submission in receiver {
                    if let Err(error) = poll_until(&device, &submission) {
                        // The futures learn of it from the map callback.
                        log::warn!("waiting for the device: {error}");
                    }
                }
            })
            .map_err(|error| Error::Internal { message: format!("no waiting thread: {error}") })?;
        Ok(sender)
    }
}
