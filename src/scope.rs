//! wgpu's errors, caught where they arise instead of in its default handler, which panics.

use crate::checks::{Check, Checks};
use crate::error::{Error, Result};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `work` with every error of `device` caught. What it does not report at once is in the checks.
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
    let mut checks = Checks::from_iter([
        Check { outcome: Box::pin(validation.pop()), bytes },
        Check { outcome: Box::pin(out_of_memory.pop()), bytes },
        Check { outcome: Box::pin(internal.pop()), bytes },
    ]);
    let value = value?;
    checks.settle()?;
    Ok((value, checks))
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
