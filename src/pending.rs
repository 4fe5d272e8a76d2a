//! A result that is on its way.

use crate::context::Context;
use crate::error::{Error, Result};
use crate::readback::Readback;
use crate::scope::Checks;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};
#[cfg(not(target_family = "wasm"))]
use std::time::Duration;

/// A result that the device is still computing or copying.
///
/// It is a [`Future`]; on native platforms [`wait`](Self::wait) blocks instead. Many may be in
/// flight at once. Dropping it abandons the result; the device finishes the work all the same.
///
/// ```no_run
/// # async fn run() -> wgpu_reduce::Result<()> {
/// use wgpu_reduce::{GpuReducer, Options, Sum};
///
/// let reducer = GpuReducer::request(&Options::default()).await?;
/// let buffers = [reducer.upload(&[1_u32, 2])?, reducer.upload(&[3_u32, 4])?];
/// let pending: Vec<_> =
///     buffers.iter().map(|buffer| reducer.reduce(Sum, buffer)).collect::<Result<_, _>>()?;
/// for sum in pending {
///     println!("{}", sum.await?);
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a pending result does nothing until it is awaited or waited for"]
pub struct Pending<T> {
    context: Arc<Context>,
    checks: Checks,
    readback: Readback,
    submission: wgpu::SubmissionIndex,
    finish: Option<Finish<T>>,
    /// How long `wait` asks again and again before it lets the system wake it.
    #[cfg(not(target_family = "wasm"))]
    spin: Duration,
    #[cfg(not(target_family = "wasm"))]
    watched: bool,
}

/// Turns the bytes that were read back into the value.
pub(crate) type Finish<T> = Box<dyn FnOnce(&[u8]) -> Result<T> + Send>;

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("submission", &self.submission).finish_non_exhaustive()
    }
}

impl<T> Pending<T> {
    /// Asks for `readback`, into which `submission` copies.
    pub(crate) fn new(
        context: Arc<Context>,
        checks: Checks,
        readback: Readback,
        submission: wgpu::SubmissionIndex,
        finish: Finish<T>,
    ) -> Self {
        Self {
            context,
            checks,
            readback,
            submission,
            finish: Some(finish),
            #[cfg(not(target_family = "wasm"))]
            spin: Duration::ZERO,
            #[cfg(not(target_family = "wasm"))]
            watched: false,
        }
    }

    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn spinning(mut self, spin: Duration) -> Self {
        self.spin = spin;
        self
    }

    /// Blocks until the result is there. Not available in browsers, which do not let a page block.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] if the device was lost meanwhile, and whatever the device reported.
    #[cfg(not(target_family = "wasm"))]
    pub fn wait(mut self) -> Result<T> {
        self.readback.wait(&self.context, &self.submission, self.spin)?;
        self.checks.settle()?;
        self.take()
    }

    fn take(&mut self) -> Result<T> {
        let finish = self.finish.take().ok_or_else(|| Error::Internal {
            message: "a pending result was polled after it was ready".into(),
        })?;
        self.readback.read(&self.context, finish)?
    }

    #[cfg(not(target_family = "wasm"))]
    fn watch(&mut self) -> Result<()> {
        if !self.watched {
            self.watched = true;
            let on_failure = Box::new(self.readback.failure());
            self.context.watch(&self.submission, on_failure)?;
        }
        Ok(())
    }

    #[cfg(target_family = "wasm")]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the browser polls by itself"
    )]
    fn watch(&mut self) -> Result<()> {
        Ok(())
    }
}

// Nothing in it is pinned.
impl<T> Unpin for Pending<T> {}

impl<T> Future for Pending<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Result<T>> {
        let this = &mut *self;
        if this.finish.is_none() {
            return Poll::Ready(this.take());
        }
        match this.checks.poll(context) {
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(())) => {}
        }
        if this.readback.is_answered(context.waker()) {
            return Poll::Ready(this.take());
        }
        match this.watch() {
            Ok(()) => Poll::Pending,
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}
