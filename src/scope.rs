//! wgpu's errors, caught where they arise instead of in its default handler, which panics.

use crate::error::{Error, Result};
use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

#[cfg(not(target_family = "wasm"))]
type ScopeFuture = Pin<Box<dyn Future<Output = Option<wgpu::Error>> + Send>>;
#[cfg(target_family = "wasm")]
type ScopeFuture = Pin<Box<dyn Future<Output = Option<wgpu::Error>>>>;

/// The error scopes of some finished work. Native backends know the outcome at once; a browser
/// tells it later, so it is a future.
#[derive(Default)]
pub(crate) struct Checks {
    outstanding: Vec<ScopeFuture>,
    /// Bytes of the allocation in question, for the error.
    bytes: u64,
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outstanding = self.outstanding.len();
        f.debug_struct("Checks").field("outstanding", &outstanding).finish_non_exhaustive()
    }
}

/// Runs `work` with every error of `device` caught.
///
/// # Errors
///
/// What `work` returns, or what the device reported where it reports at once.
pub(crate) fn scoped<R>(
    device: &wgpu::Device,
    bytes: u64,
    work: impl FnOnce() -> Result<R>,
) -> Result<(R, Checks)> {
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let out_of_memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let value = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(explain(&*panic)));
    // Scopes are popped innermost first, and all of them even if one has an error.
    let mut checks = Checks {
        outstanding: vec![
            Box::pin(validation.pop()),
            Box::pin(out_of_memory.pop()),
            Box::pin(internal.pop()),
        ],
        bytes,
    };
    let value = value?;
    checks.settle()?;
    Ok((value, checks))
}

impl Checks {
    /// Takes what is known without waiting.
    pub(crate) fn settle(&mut self) -> Result<()> {
        match self.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => Ok(()),
        }
    }

    /// Takes over what `other` still waits for.
    pub(crate) fn merge(&mut self, other: Self) {
        self.outstanding.extend(other.outstanding);
        self.bytes = self.bytes.max(other.bytes);
    }

    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        let mut index = 0;
        while let Some(future) = self.outstanding.get_mut(index) {
            match future.as_mut().poll(context) {
                Poll::Pending => index += 1,
                Poll::Ready(None) => drop(self.outstanding.swap_remove(index)),
                Poll::Ready(Some(error)) => {
                    self.outstanding.clear();
                    return Poll::Ready(Err(translate(error, self.bytes)));
                }
            }
        }
        if self.outstanding.is_empty() { Poll::Ready(Ok(())) } else { Poll::Pending }
    }
}

/// What a panic of wgpu means. Within a scope it is known to panic only on handles of another
/// instance, which it looks up in tables of its own.
fn explain(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    if text.contains("does not exist") || text.contains("is no longer alive") {
        let message = format!("a buffer belongs to another wgpu instance ({text})");
        return Error::Validation { message };
    }
    Error::Internal { message: format!("wgpu panicked: {text}") }
}

fn translate(error: wgpu::Error, bytes: u64) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory { bytes },
        wgpu::Error::Validation { description, .. } => Error::Validation { message: description },
        wgpu::Error::Internal { description, .. } => Error::Internal { message: description },
    }
}
