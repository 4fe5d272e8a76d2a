//! The adapter, opened by the first call that needs it; waiting for it; its errors as exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::future::Future as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;
use wgpu_reduce::{Error as LibraryError, GpuReducer, Pending};

create_exception!(
    wgpu_reduce,
    Error,
    PyRuntimeError,
    "What the adapter or its driver failed with: there is none, it was lost, or it cannot do what was asked."
);

/// An adapter that a process has opened.
struct Opened {
    process: u32,
    reducer: GpuReducer,
}

static OPENED: Mutex<Option<Opened>> = Mutex::new(None);

fn opened() -> MutexGuard<'static, Option<Opened>> {
    OPENED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the adapter, which the first call opens.
pub(crate) fn reducer(py: Python<'_>) -> PyResult<GpuReducer> {
    let reducer = py.detach(|| {
        let mut opened = opened();
        let process = std::process::id();
        if let Some(of_parent) = opened.take_if(|opened| opened.process != process) {
            // The threads that it relies on are not in a process that was forked.
            std::mem::forget(of_parent);
        }
        if let Some(opened) = opened.as_ref() {
            return Ok(opened.reducer.clone());
        }
        let reducer = GpuReducer::new()?;
        *opened = Some(Opened { process, reducer: reducer.clone() });
        Ok(reducer)
    });
    reducer.map_err(exception)
}

/// Returns the name of the adapter and how it is reached, and opens it if need be.
#[pyfunction]
pub(crate) fn adapter(py: Python<'_>) -> PyResult<String> {
    Ok(reducer(py)?.adapter_label())
}

/// Gives the adapter back, with all arrays on it. The next call opens one again.
#[pyfunction]
pub(crate) fn close(py: Python<'_>) {
    py.detach(|| {
        let taken = opened().take();
        if let Some(Opened { process, reducer }) = taken {
            if process == std::process::id() {
                reducer.device().destroy();
            } else {
                std::mem::forget(reducer);
            }
        }
    });
}

/// How long a wait goes on before Python looks for Ctrl-C.
const UNINTERRUPTED: Duration = Duration::from_millis(50);

/// Wakes a thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Starts what has a result, and waits for it; Ctrl-C ends the wait. Other threads of Python run meanwhile.
pub(crate) fn wait<R: Send>(
    py: Python<'_>,
    reducer: &GpuReducer,
    start: impl FnOnce() -> Result<Pending<R>, LibraryError> + Send,
) -> PyResult<R> {
    let told = |error| {
        forget_if_lost(reducer, &error);
        exception(error)
    };
    let mut pending = py.detach(start).map_err(told)?;
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        let polled = py.detach(|| {
            let polled = Pin::new(&mut pending).poll(&mut Context::from_waker(&waker));
            if polled.is_pending() {
                thread::park_timeout(UNINTERRUPTED);
            }
            polled
        });
        match polled {
            Poll::Ready(result) => return result.map_err(told),
            Poll::Pending => py.check_signals()?,
        }
    }
}

/// Runs what blocks for no longer than a copy takes.
pub(crate) fn run<R: Send>(
    py: Python<'_>,
    reducer: &GpuReducer,
    call: impl FnOnce() -> Result<R, LibraryError> + Send,
) -> PyResult<R> {
    py.detach(call).map_err(|error| {
        forget_if_lost(reducer, &error);
        exception(error)
    })
}

/// Lets the next call open an adapter, if this one is the open one and gone.
fn forget_if_lost(reducer: &GpuReducer, error: &LibraryError) {
    if matches!(error, LibraryError::DeviceLost { .. }) {
        opened().take_if(|opened| opened.reducer.device() == reducer.device());
    }
}

/// Returns the exception that an error is in Python.
pub(crate) fn exception(error: LibraryError) -> PyErr {
    use LibraryError as E;
    let text = error.to_string();
    match error {
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
        | E::InvalidBins { .. } => PyValueError::new_err(text),
        _ => Error::new_err(text),
    }
}
