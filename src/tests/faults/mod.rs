//! Failures that tests bring about: there is nothing of this in the library as it is built for others.

use crate::error::{Error, Result};
use std::sync::{Mutex, PoisonError};

#[path = "../../../tests/shared/busy.rs"]
mod busy;
mod calls;
mod lost;
mod tests;

pub(crate) use tests::on_every_adapter;

/// What can be made to fail, or to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Something new on the device: a buffer, or what a write stages.
    Allocation,
    /// Work that is handed to the device.
    Submission,
    /// A shader that is compiled.
    Compilation,
    /// A buffer that the host asks for.
    Mapping,
    /// The answer to that, which never comes.
    Answer,
    /// A buffer or a submission that wgpu itself refuses, in the caller's error scope.
    Refusal,
    /// The device, which is destroyed before the next thing of any kind that is asked of it.
    Device,
}

impl Fault {
    /// Those that are told at once, of what is never kept for the next call.
    const TOLD: [Self; 4] = [Self::Allocation, Self::Submission, Self::Mapping, Self::Refusal];

    /// What the device would report.
    fn error(self) -> Error {
        match self {
            Self::Allocation | Self::Submission | Self::Compilation => {
                Error::OutOfMemory { bytes: 4321, available_bytes: None }
            }
            Self::Mapping | Self::Device => {
                Error::DeviceLost { reason: "a test wants it so".into() }
            }
            Self::Answer => Error::Timeout,
            Self::Refusal => Error::Validation { message: "a test wants it so".into() },
        }
    }

    /// Whether an error tells of it; what wgpu says of a refusal is its own.
    fn is_told_by(self, error: &Error) -> bool {
        let is_refusal = matches!(error, Error::Validation { message } if !message.is_empty());
        if self == Self::Refusal { is_refusal } else { *error == self.error() }
    }
}

/// A failure to come, after so many things of its kind that do not fail.
#[derive(Debug, Default)]
pub(crate) struct Faults(Mutex<Option<(Fault, u64)>>);

impl Faults {
    /// Lets things of a kind fail once, after so many that do not.
    fn arm(&self, fault: Fault, after: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((fault, after));
    }

    /// Lets nothing fail any more. Whether something has failed.
    fn disarm(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().is_none()
    }

    /// Fails if it is time to, or destroys the device.
    pub(crate) fn meet(&self, met: Fault, device: &wgpu::Device) -> Result<()> {
        let mut armed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_meant = |fault: Fault| {
            fault == met || fault == Fault::Device && !matches!(met, Fault::Answer | Fault::Refusal)
        };
        match armed.as_mut().filter(|(fault, _)| is_meant(*fault)) {
            Some((Fault::Device, 0)) => {
                *armed = None;
                device.destroy();
                Ok(())
            }
            Some((_, 0)) => {
                *armed = None;
                Err(met.error())
            }
            Some((_, left)) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// Commands that wgpu refuses when they are submitted: they use a buffer that is gone by then.
pub(crate) fn refused_commands(device: &wgpu::Device) -> wgpu::CommandBuffer {
    let gone = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("wgpu-reduce gone"),
        size: 64,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.clear_buffer(&gone, 0, None);
    let commands = encoder.finish();
    gone.destroy();
    commands
}
