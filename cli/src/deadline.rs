//! `--deadline`: no wait for the device is longer.

use crate::failure::Failure;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use wgpu_reduce::GpuReducer;

/// A handle of the device. Dropping the last one waits until the device is idle, which may never be.
static KEPT: Mutex<Option<GpuReducer>> = Mutex::new(None);

/// Returns a reducer on the same device with the deadline, and keeps a handle of it.
pub(crate) fn set(reducer: &GpuReducer, most: Duration) -> GpuReducer {
    let reducer = reducer.with_deadline(most);
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(reducer.clone());
    reducer
}

/// The end of a command: one that has failed under a deadline ends at once, and does not wait for its device.
pub(crate) fn end(outcome: Result<(), Failure>) -> ExitCode {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).take();
    match outcome {
        Ok(()) => {
            drop(kept);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            let status = failure.report();
            if kept.is_some() {
                signal_hook::low_level::exit(failure.status().into());
            }
            status
        }
    }
}
