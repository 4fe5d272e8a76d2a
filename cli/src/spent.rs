//! Where the time of a command goes.

use serde::Serialize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a command waits for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stage {
    /// Finding and opening the adapter.
    Adapter,
    /// Reading the input.
    Reading,
    /// Making buffers, filling them and waiting for room in them.
    Copying,
    /// Waiting for the result once everything has been copied.
    Result,
}

/// Nanoseconds of each stage.
static SPENT: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

static START: OnceLock<Instant> = OnceLock::new();

/// Seconds of each stage, and of all since the program began.
#[derive(Debug, Clone, Copy, Serialize)]
#[expect(clippy::struct_field_names, reason = "their unit")]
pub(crate) struct Spent {
    adapter_s: f64,
    reading_s: f64,
    copying_s: f64,
    result_s: f64,
    total_s: f64,
}

/// Counts from now on.
pub(crate) fn start() {
    START.get_or_init(Instant::now);
}

/// Does work, and counts its time.
pub(crate) fn on<R>(stage: Stage, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let done = work();
    let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    if let Some(spent) = SPENT.get(stage as usize) {
        spent.fetch_add(nanoseconds, Ordering::Relaxed);
    }
    done
}

/// What has been spent so far.
pub(crate) fn so_far() -> Spent {
    let of = |nanoseconds: &AtomicU64| {
        Duration::from_nanos(nanoseconds.load(Ordering::Relaxed)).as_secs_f64()
    };
    let [adapter_s, reading_s, copying_s, result_s] = SPENT.each_ref().map(of);
    let total_s = START.get().map_or(0.0, |start| start.elapsed().as_secs_f64());
    Spent { adapter_s, reading_s, copying_s, result_s, total_s }
}
