//! wgpu's errors, caught where they arise instead of in its default handler, which panics.

use crate::checks::Outcome;
use crate::error::{Error, Result};
use crate::pipeline::shader_error;
use crate::shader::Shader;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Waker};

/// What work on a device is about, which its errors name.
pub(crate) enum Subject {
    /// An allocation of so many bytes; 0 where nothing is allocated.
    Bytes(u64),
    /// A shader that is compiled.
    Shader(Shader, wgpu::ShaderModule),
}

impl Subject {
    async fn name_in(self, error: wgpu::Error) -> Error {
        match (error, self) {
            (wgpu::Error::OutOfMemory { .. }, Self::Bytes(bytes)) => Error::OutOfMemory { bytes },
            (wgpu::Error::OutOfMemory { .. }, Self::Shader(..)) => Error::OutOfMemory { bytes: 0 },
            (wgpu::Error::Validation { description, .. }, Self::Shader(shader, module)) => {
                shader_error(description, &shader, &module).await
            }
            (wgpu::Error::Validation { description, .. }, Self::Bytes(_)) => {
                Error::Validation { message: description }
            }
            (wgpu::Error::Internal { description, .. }, _) => {
                Error::Internal { message: description }
            }
        }
    }
}

/// Runs `work` with every error of `device` caught. What it does not report at once comes with the value.
///
/// # Errors
///
/// What `work` returns, or what the device reported where it reports at once.
pub(crate) fn scoped<R>(
    device: &wgpu::Device,
    subject: impl FnOnce(&R) -> Subject,
    work: impl FnOnce() -> Result<R>,
) -> Result<(R, Option<Outcome>)> {
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let out_of_memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let value = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(explain(&*panic)));
    // Scopes are popped innermost first, and all of them even if one has an error.
    let caught = [validation.pop(), out_of_memory.pop(), internal.pop()];
    let value = value?;
    let subject = subject(&value);
    let mut outcome: Outcome = Box::pin(async move {
        for caught in caught {
            if let Some(error) = caught.await {
                return Some(subject.name_in(error).await);
            }
        }
        None
    });
    match outcome.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Some(error)) => Err(error),
        Poll::Ready(None) => Ok((value, None)),
        Poll::Pending => Ok((value, Some(outcome))),
    }
}

/// What a panic says.
pub(crate) fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// What a panic of wgpu means. Within a scope it is known to panic only on handles of another
/// instance, which it looks up in tables of its own.
fn explain(panic: &(dyn Any + Send)) -> Error {
    let text = text_of(panic);
    if text.contains("does not exist") || text.contains("is no longer alive") {
        let message = format!("a buffer belongs to another wgpu instance ({text})");
        return Error::Validation { message };
    }
    Error::Internal { message: format!("wgpu panicked: {text}") }
}
