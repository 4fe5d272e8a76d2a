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

/// Reads a positive number of seconds, such as 90 or 0.5.
pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let most = Duration::from_secs(MOST_SECONDS);
    seconds
        .filter(|seconds| !seconds.is_zero() && *seconds <= most)
        .ok_or_else(|| format!("expected a number of seconds above 0 and up to {MOST_SECONDS}"))
}

/// More would be beyond what some systems' clocks can count.
const MOST_SECONDS: u64 = 1_000_000;
