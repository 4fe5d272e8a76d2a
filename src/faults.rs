//! Failures that tests bring about: there is nothing of this in the library as it is built for others.

use crate::error::{Error, Result};
use std::sync::{Mutex, PoisonError};

mod calls;
mod lost;
mod tests;

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
    /// The device, which is destroyed before the next thing of any kind that is asked of it.
    Device,
}

impl Fault {
    /// Those that are told at once, of what is never kept for the next call.
    const TOLD: [Self; 3] = [Self::Allocation, Self::Submission, Self::Mapping];

    /// What the device would report.
    fn error(self) -> Error {
        match self {
            Self::Allocation | Self::Submission | Self::Compilation => {
                Error::OutOfMemory { bytes: 4321 }
            }
            Self::Mapping | Self::Device => {
                Error::DeviceLost { reason: "a test wants it so".into() }
            }
            Self::Answer => Error::Timeout,
        }
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
        let is_meant =
            |fault: Fault| fault == met || fault == Fault::Device && met != Fault::Answer;
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
