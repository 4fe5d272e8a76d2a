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
    then: Option<Then<T>>,
    /// How long `wait` asks again and again before it lets the system wake it.
    #[cfg(not(target_family = "wasm"))]
    spin: Duration,
    #[cfg(not(target_family = "wasm"))]
    watched: bool,
}

/// Does something with the bytes that were read back, on any thread.
#[cfg(not(target_family = "wasm"))]
type WithBytes<R> = Box<dyn FnOnce(&[u8]) -> Result<R> + Send>;

/// Does something with the bytes that were read back, on the thread that wgpu's objects cannot leave in browsers.
#[cfg(target_family = "wasm")]
type WithBytes<R> = Box<dyn FnOnce(&[u8]) -> Result<R>>;

/// Turns the bytes that were read back into the value.
pub(crate) type Finish<T> = WithBytes<T>;

/// Finds out from the bytes that were read back what else is to be read, and asks for it.
pub(crate) type Continue<T> = WithBytes<Pending<T>>;

/// What is done with the bytes that come back.
pub(crate) enum Then<T> {
    Finish(Finish<T>),
    Continue(Continue<T>),
}

impl<T> From<Finish<T>> for Then<T> {
    fn from(finish: Finish<T>) -> Self {
        Self::Finish(finish)
    }
}

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
        then: impl Into<Then<T>>,
    ) -> Self {
        Self {
            context,
            checks,
            readback,
            submission,
            then: Some(then.into()),
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
        loop {
            self.readback.wait(&self.context, &self.submission, self.spin)?;
            self.checks.settle()?;
            if let Some(value) = self.take()? {
                return Ok(value);
            }
        }
    }

    /// The value; nothing, if it takes more to be read, which this is pending for from then on.
    fn take(&mut self) -> Result<Option<T>> {
        let then = self.then.take().ok_or_else(|| Error::Internal {
            message: "a pending result was polled after it was ready".into(),
        })?;
        match then {
            Then::Finish(finish) => self.readback.read(&self.context, finish)?.map(Some),
            Then::Continue(more) => {
                *self = self.readback.read(&self.context, more)??;
                Ok(None)
            }
        }
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
        loop {
            if this.then.is_some() {
                match this.checks.poll(context) {
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Ok(())) => {}
                }
                if !this.readback.is_answered(context.waker()) {
                    return match this.watch() {
                        Ok(()) => Poll::Pending,
                        Err(error) => Poll::Ready(Err(error)),
                    };
                }
            }
            match this.take() {
                Ok(None) => {}
                Ok(Some(value)) => return Poll::Ready(Ok(value)),
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}
