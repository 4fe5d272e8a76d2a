//! wgpu's errors, caught where they arise instead of in its default handler, which panics.

use crate::error::{Error, Result};
use crate::shader::{Origin, Shader};
use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
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
            (wgpu::Error::OutOfMemory { .. }, Self::Bytes(bytes)) => {
                Error::OutOfMemory { bytes, available_bytes: None }
            }
            (wgpu::Error::OutOfMemory { .. }, Self::Shader(..)) => {
                Error::OutOfMemory { bytes: 0, available_bytes: None }
            }
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

/// What a compiler has against a shader, with file and line where it tells them; in browsers both come late.
async fn shader_error(message: String, shader: &Shader, module: &wgpu::ShaderModule) -> Error {
    let reported = module.get_compilation_info().await.messages.into_iter().find(is_error);
    let (line, column) = reported
        .as_ref()
        .and_then(|message| message.location.as_ref())
        .map_or((0, 0), |location| (location.line_number, location.line_position));
    let message = reported.map_or(message, |m| m.message);
    match shader.origin(line) {
        Origin::File(file, line) => {
            Error::Shader { file: format!("shaders/{file}"), line, message }
        }
        Origin::User(line) => Error::CustomShader { line, column, message },
    }
}

fn is_error(message: &wgpu::CompilationMessage) -> bool {
    message.message_type == wgpu::CompilationMessageType::Error
}

/// The error of a call, if there is one, once that is known.
#[cfg(not(target_family = "wasm"))]
pub(crate) type Outcome = Pin<Box<dyn Future<Output = Option<Error>> + Send>>;
#[cfg(target_family = "wasm")]
pub(crate) type Outcome = Pin<Box<dyn Future<Output = Option<Error>>>>;

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
    let outcome = async move {
        for caught in caught {
            if let Some(error) = caught.await {
                return Some(subject.name_in(error).await);
            }
        }
        None
    };
    match at_once(outcome) {
        Ok(None) => Ok((value, None)),
        Ok(Some(error)) => Err(error),
        Err(late) => Ok((value, Some(late))),
    }
}

/// What a device has told. It does so at once, so that nothing need be kept on the heap.
#[cfg(not(target_family = "wasm"))]
#[expect(clippy::unnecessary_wraps, reason = "browsers tell later")]
fn at_once(
    outcome: impl Future<Output = Option<Error>>,
) -> std::result::Result<Option<Error>, Outcome> {
    let mut outcome = std::pin::pin!(outcome);
    match outcome.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(told) => Ok(told),
        Poll::Pending => Ok(pollster::block_on(outcome)),
    }
}

/// What a browser has told, or what will be told.
#[cfg(target_family = "wasm")]
fn at_once(
    outcome: impl Future<Output = Option<Error>> + 'static,
) -> std::result::Result<Option<Error>, Outcome> {
    let mut outcome: Outcome = Box::pin(outcome);
    match outcome.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(told) => Ok(told),
        Poll::Pending => Err(outcome),
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
