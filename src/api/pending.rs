//! A result that is on its way.

use crate::api::arrival::Arrival;
use crate::api::request::Reader;
use crate::api::submit::Back;
use crate::device::readback::WithResult;
use crate::error::{Error, Result};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{self, Poll};
#[cfg(not(target_family = "wasm"))]
use std::time::{Duration, Instant};

/// A result that the device is still computing or copying.
///
/// It is a [`Future`]; on native platforms [`wait`](Self::wait) blocks instead. Many may be in
/// flight at once. Dropping it abandons the result; the device finishes the work all the same.
///
/// Browsers tell of errors, as of memory that there is not, when the call that led to them has long returned: such an
/// error fails every result that is asked for until one of them has told it.
///
/// ```
/// # pollster::block_on(async {
/// use wgpu_reduce::{GpuReducer, Options, Sum};
///
/// let reducer = GpuReducer::request(&Options::default()).await?;
/// let buffers = [reducer.upload(&[1_u32, 2])?, reducer.upload(&[3_u32, 4])?];
/// let pending: Vec<_> =
///     buffers.iter().map(|buffer| reducer.reduce(Sum, buffer).start()).collect::<Result<_, _>>()?;
/// let mut sums = Vec::new();
/// for sum in pending {
///     sums.push(sum.await?);
/// }
/// assert_eq!(sums, [3, 7]);
/// # Ok::<(), wgpu_reduce::Error>(())
/// # })?;
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[must_use = "a pending result does nothing until it is awaited or waited for"]
pub struct Pending<T> {
    arrival: Arrival,
    then: Option<Then<T>>,
}

/// Does something with the bytes that were read back, on any thread.
#[cfg(not(target_family = "wasm"))]
type WithBytes<R> = Box<dyn FnOnce(&[u8]) -> Result<R> + Send>;

/// Does something with the bytes that were read back, on the thread that wgpu's objects cannot leave in browsers.
#[cfg(target_family = "wasm")]
type WithBytes<R> = Box<dyn FnOnce(&[u8]) -> Result<R>>;

/// Turns the bytes that were read back into the value.
pub(crate) type Finish<T> = WithBytes<T>;

/// Finds out from the bytes that were read back whether more is to be read, and asks for it.
pub(crate) type Continue<T> = WithBytes<Next<T>>;

/// What bytes that were read back have led to.
pub enum Next<T> {
    Value(T),
    Pending(Box<Pending<T>>),
}

impl<T: 'static> Next<T> {
    /// What `make` makes of the value, once it is there.
    pub(crate) fn map<R: 'static>(self, make: impl FnOnce(T) -> R + WithResult) -> Result<Next<R>> {
        self.and_then(|value| Ok(make(value)))
    }

    fn and_then<R: 'static>(
        self,
        make: impl FnOnce(T) -> Result<R> + WithResult,
    ) -> Result<Next<R>> {
        match self {
            Self::Value(value) => make(value).map(Next::Value),
            Self::Pending(pending) => pending.and_then(make).map(Next::from),
        }
    }

    fn followed<R: 'static>(
        self,
        next: impl FnOnce(T) -> Result<Pending<R>> + WithResult,
    ) -> Result<Next<R>> {
        match self {
            Self::Value(value) => next(value).map(Next::from),
            Self::Pending(pending) => pending.followed(next).map(Next::from),
        }
    }
}

impl<T> From<Pending<T>> for Next<T> {
    fn from(pending: Pending<T>) -> Self {
        Self::Pending(Box::new(pending))
    }
}

/// What is done with the bytes that come back.
pub(crate) enum Then<T> {
    Finish(Finish<T>),
    Continue(Continue<T>),
    /// By a reader that is there for many.
    Read(Reader<T>, Back),
}

impl<T> From<Finish<T>> for Then<T> {
    fn from(finish: Finish<T>) -> Self {
        Self::Finish(finish)
    }
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("submission", &self.arrival.submission)
            .finish_non_exhaustive()
    }
}

impl<T> Pending<T> {
    /// What becomes of the bytes that arrive.
    pub(crate) fn new(arrival: Arrival, then: impl Into<Then<T>>) -> Self {
        Self { arrival, then: Some(then.into()) }
    }

    /// What `make` makes of the result.
    pub(crate) fn map<R: 'static>(
        self,
        make: impl FnOnce(T) -> R + WithResult,
    ) -> Result<Pending<R>>
    where
        T: 'static,
    {
        self.and_then(|value| Ok(make(value)))
    }

    /// As [`map`](Self::map), where `make` may fail.
    pub(crate) fn and_then<R: 'static>(
        self,
        make: impl FnOnce(T) -> Result<R> + WithResult,
    ) -> Result<Pending<R>>
    where
        T: 'static,
    {
        self.then(|then| match then {
            Then::Finish(finish) => {
                Then::Finish(Box::new(move |bytes: &[u8]| finish(bytes).and_then(make)))
            }
            Then::Continue(more) => {
                Then::Continue(Box::new(move |bytes: &[u8]| more(bytes)?.and_then(make)))
            }
            Then::Read(reader, back) => Then::Continue(Box::new(move |bytes: &[u8]| {
                back.read(&reader, bytes)?.and_then(make)
            })),
        })
    }

    /// What comes after the result is there. It is waited for with its own patience, or with this one's if it has none.
    pub(crate) fn followed<R: 'static>(
        self,
        next: impl FnOnce(T) -> Result<Pending<R>> + WithResult,
    ) -> Result<Pending<R>>
    where
        T: 'static,
    {
        self.then(|then| {
            Then::Continue(match then {
                Then::Finish(finish) => {
                    Box::new(move |bytes: &[u8]| finish(bytes).and_then(next).map(Next::from))
                }
                Then::Continue(more) => Box::new(move |bytes: &[u8]| more(bytes)?.followed(next)),
                Then::Read(reader, back) => {
                    Box::new(move |bytes: &[u8]| back.read(&reader, bytes)?.followed(next))
                }
            })
        })
    }

    fn then<R>(mut self, make: impl FnOnce(Then<T>) -> Then<R>) -> Result<Pending<R>> {
        let Some(then) = self.then.take() else {
            return Err(Error::Internal { message: "a result is taken already".into() });
        };
        Ok(Pending { arrival: self.arrival, then: Some(make(then)) })
    }

    /// Blocks until the result is there. Not available in browsers, which do not let a page block.
    ///
    /// It asks again and again for as long as [`with_spin`](crate::GpuReducer::with_spin) says, and then sleeps. The order
    /// in which results are waited for is free.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Max, Sum};
    ///
    /// let buffer = reducer.upload(&[3_u32, 1, 4])?;
    /// let (sum, max) = (reducer.reduce(Sum, &buffer).start()?, reducer.reduce(Max, &buffer).start()?);
    /// // ... something else meanwhile ...
    /// assert_eq!((max.wait()?, sum.wait()?), (4, 8));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] if the device was lost meanwhile, [`Error::Timeout`] if it took longer than the
    /// reducer's [deadline](crate::GpuReducer::with_deadline), [`Error::Empty`] and its like where only the elements tell
    /// that there is no result, as of `nan_argmin` of NaN alone, and whatever the device reported.
    #[cfg(not(target_family = "wasm"))]
    pub fn wait(mut self) -> Result<T> {
        loop {
            self.arrival.wait()?;
            if let Some(value) = self.take()? {
                return Ok(value);
            }
        }
    }

    /// Blocks as [`wait`](Self::wait) does, but for no longer than `timeout`. `None` says that the result is not there yet: it may be
    /// waited for again, or awaited. Not available in browsers.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use std::time::Duration;
    /// use wgpu_reduce::Sum;
    ///
    /// let buffer = reducer.upload(&[3_u32, 1, 4])?;
    /// let mut pending = reducer.reduce(Sum, &buffer).start()?;
    /// let sum = loop {
    ///     if let Some(sum) = pending.wait_timeout(Duration::from_millis(50))? {
    ///         break sum;
    ///     }
    ///     // ... look whether somebody wants to stop ...
    /// };
    /// assert_eq!(sum, 8);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As of [`wait`](Self::wait): [`Error::Timeout`] where the reducer's [deadline](crate::GpuReducer::with_deadline) is not after
    /// `timeout`, and passes.
    #[cfg(not(target_family = "wasm"))]
    pub fn wait_timeout(&mut self, timeout: Duration) -> Result<Option<T>> {
        let begun = Instant::now();
        while self.arrival.wait_timeout(timeout.saturating_sub(begun.elapsed()))? {
            if let Some(value) = self.take()? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The value; nothing, if it takes more to be read, which this is pending for from then on.
    fn take(&mut self) -> Result<Option<T>> {
        let then = self.then.take().ok_or_else(|| Error::Internal {
            message: "a pending result was polled after it was ready".into(),
        })?;
        let next = match then {
            Then::Finish(finish) => return self.arrival.read(finish).map(Some),
            Then::Continue(more) => self.arrival.read(more)?,
            Then::Read(reader, back) => self.arrival.read(|bytes| back.read(&reader, bytes))?,
        };
        match next {
            Next::Value(value) => Ok(Some(value)),
            Next::Pending(next) => {
                let Self { arrival, then } = *next;
                *self = Self { arrival: arrival.after(&self.arrival), then };
                Ok(None)
            }
        }
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
                match this.arrival.poll(context) {
                    Poll::Ready(Ok(())) => {}
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => return Poll::Pending,
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
