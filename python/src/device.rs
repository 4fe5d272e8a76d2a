//! The adapter, opened by the first call that needs it; waiting for it; its errors as exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wgpu_reduce::{Error as LibraryError, GpuReducer, Pending};

create_exception!(
    wgpu_reduce,
    Error,
    PyRuntimeError,
    "What the adapter or its driver failed with: there is none, it was lost, or it cannot do what was asked."
);

/// An adapter that has been opened.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) reducer: GpuReducer,
    /// Tells it from others: wgpu cannot, where they were opened one after the other.
    number: u64,
}

impl Opened {
    /// Fails if what is to be used together lies on two adapters.
    pub(crate) fn check_same(&self, other: &Self) -> PyResult<()> {
        if self.number == other.number {
            return Ok(());
        }
        Err(Error::new_err("the arrays are on two adapters, of which one was closed or lost"))
    }
}

/// The adapter; none before the first call and after a loss.
static OPENED: Mutex<Option<Opened>> = Mutex::new(None);

/// How many have been opened.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// The process that was first to ask for the adapter; 0 before.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Fails in a forked process: threads that are not there may have had locks.
fn check_process() -> PyResult<()> {
    let this = std::process::id();
    let first = PROCESS.compare_exchange(0, this, Ordering::Relaxed, Ordering::Relaxed);
    if first.is_err_and(|first| first != this) {
        let what = "this process was forked from one that uses an adapter: start it by `spawn`";
        return Err(Error::new_err(what));
    }
    Ok(())
}

/// Locks the adapter.
fn opened() -> PyResult<MutexGuard<'static, Option<Opened>>> {
    check_process()?;
    Ok(OPENED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Returns the adapter, which the first call opens.
pub(crate) fn open(py: Python<'_>) -> PyResult<Opened> {
    py.detach(|| {
        let mut opened = opened()?;
        if let Some(opened) = opened.as_ref() {
            return Ok(opened.clone());
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let found = Opened { reducer: GpuReducer::new().map_err(exception)?, number };
        *opened = Some(found.clone());
        Ok(found)
    })
}

/// Returns the name of the adapter and how it is reached, and opens it if need be.
#[pyfunction]
pub(crate) fn adapter(py: Python<'_>) -> PyResult<String> {
    Ok(open(py)?.reducer.adapter_label())
}

/// Gives the adapter back, with all arrays on it. The next call opens one again.
#[pyfunction]
pub(crate) fn close(py: Python<'_>) -> PyResult<()> {
    py.detach(|| {
        if let Some(Opened { reducer, .. }) = opened()?.take() {
            reducer.device().destroy();
        }
        Ok(())
    })
}

/// How long a wait goes on before Python looks for Ctrl-C.
const UNINTERRUPTED: Duration = Duration::from_millis(50);

/// Starts what has a result, and waits for it; Ctrl-C ends the wait. Other threads of Python run meanwhile.
pub(crate) fn wait<R: Send>(
    py: Python<'_>,
    used: &Opened,
    start: impl FnOnce() -> Result<Pending<R>, LibraryError> + Send,
) -> PyResult<R> {
    check_process()?;
    let told = |error| {
        forget_if_lost(used, &error);
        exception(error)
    };
    let mut pending = py.detach(start).map_err(told)?;
    loop {
        let waited = py.detach(|| pending.wait_timeout(UNINTERRUPTED));
        if let Some(result) = waited.map_err(told)? {
            return Ok(result);
        }
        py.check_signals()?;
    }
}

/// Runs what blocks for no longer than a copy takes.
pub(crate) fn run<R: Send>(
    py: Python<'_>,
    used: &Opened,
    call: impl FnOnce() -> Result<R, LibraryError> + Send,
) -> PyResult<R> {
    check_process()?;
    py.detach(call).map_err(|error| {
        forget_if_lost(used, &error);
        exception(error)
    })
}

/// Lets the next call open an adapter, if this one is the open one and gone.
fn forget_if_lost(used: &Opened, error: &LibraryError) {
    if !matches!(error, LibraryError::DeviceLost { .. }) {
        return;
    }
    if let Ok(mut opened) = opened() {
        opened.take_if(|opened| opened.number == used.number);
    }
}

/// Returns the exception that an error is in Python.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
pub(crate) fn exception(error: LibraryError) -> PyErr {
    use LibraryError as E;
    let text = error.to_string();
    match error {
        E::NoAdapter { .. } => {
            let host =
                "without one, device='cpu' or WGPU_REDUCE_CPU=1 computes on the host, slowly";
            Error::new_err(format!("{text}; {host}"))
        }
        E::OutOfMemory { .. } | E::BufferTooLarge { .. } => PyMemoryError::new_err(text),
        E::NotDefined { .. } | E::WrongInputs { .. } => PyTypeError::new_err(text),
        E::Empty { .. }
        | E::EmptySegment { .. }
        | E::EmptyResult { .. }
        | E::InvalidOffsets { .. }
        | E::InvalidRange { .. }
        | E::LengthMismatch { .. }
        | E::InvalidBuffer { .. }
        | E::InvalidView { .. }
        | E::InvalidRank { .. }
        | E::InvalidBytes { .. }
        | E::InvalidBins { .. } => PyValueError::new_err(text),
        _ => Error::new_err(text),
    }
}
