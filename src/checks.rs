//! What error scopes have caught where it is told later. Native backends know the outcome at once; a browser tells
//! it when it comes to it, and until then it is kept here. Whoever awaits a result next hears of it.

use crate::context::Context;
use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{self, Poll, Waker};

#[cfg(not(target_family = "wasm"))]
type Outcome = Pin<Box<dyn Future<Output = Option<wgpu::Error>> + Send>>;
#[cfg(target_family = "wasm")]
type Outcome = Pin<Box<dyn Future<Output = Option<wgpu::Error>>>>;

/// What closed error scopes have caught, in the order in which they were closed.
#[derive(Default)]
pub(crate) struct Checks {
    unknown: VecDeque<Check>,
    /// The first that is known.
    error: Option<Error>,
}

/// An error scope that has been closed.
pub(crate) struct Check {
    pub(crate) outcome: Outcome,
    /// Bytes of the allocation in question, for the error.
    pub(crate) bytes: u64,
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unknown, error) = (self.unknown.len(), &self.error);
        f.debug_struct("Checks").field("unknown", &unknown).field("error", error).finish()
    }
}

impl FromIterator<Check> for Checks {
    fn from_iter<I: IntoIterator<Item = Check>>(checks: I) -> Self {
        Self { unknown: checks.into_iter().collect(), error: None }
    }
}

impl Checks {
    /// Takes what is known without waiting.
    pub(crate) fn settle(&mut self) -> Result<()> {
        match self.poll(&mut task::Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => Ok(()),
        }
    }

    /// The first error, once it is known that there is none before it. What comes after it is mostly what it has
    /// led to, and is forgotten.
    fn poll(&mut self, task: &mut task::Context<'_>) -> Poll<Result<()>> {
        while self.error.is_none() {
            let Some(Check { outcome, bytes }) = self.unknown.front_mut() else {
                return Poll::Ready(Ok(()));
            };
            match outcome.as_mut().poll(task) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(error) => self.error = error.map(|error| translate(error, *bytes)),
            }
            self.unknown.pop_front();
        }
        self.unknown.clear();
        Poll::Ready(self.error.take().map_or(Ok(()), Err))
    }

    /// Adds those that are later.
    fn append(&mut self, mut later: Self) {
        self.unknown.append(&mut later.unknown);
        self.error = self.error.take().or(later.error);
    }

    fn is_empty(&self) -> bool {
        self.unknown.is_empty() && self.error.is_none()
    }
}

/// Those of a device that nobody waits for yet.
#[derive(Debug, Default)]
pub(crate) struct Outstanding(Mutex<Checks>);

impl Outstanding {
    fn lock(&self) -> MutexGuard<'_, Checks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what is still to be told. What has been told meanwhile goes, so that they do not pile up.
    pub(crate) fn keep(&self, checks: Checks) {
        if checks.is_empty() {
            return;
        }
        let mut kept = self.lock();
        kept.append(checks);
        let told = kept.settle();
        kept.error = told.err();
    }

    fn take(&self) -> Checks {
        std::mem::take(&mut self.lock())
    }

    fn give_back(&self, checks: Checks) {
        let mut kept = self.lock();
        let later = std::mem::replace(&mut *kept, checks);
        kept.append(later);
    }
}

/// All that a device has still to tell when somebody asks it for a result, which depends on it. If nobody waits for
/// that result, it is left to the next.
#[derive(Debug)]
pub(crate) struct Awaited {
    context: Arc<Context>,
    checks: Checks,
}

impl Awaited {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context), checks: context.outstanding.take() }
    }

    /// Ready when all of it is known.
    pub(crate) fn poll(&mut self, task: &mut task::Context<'_>) -> Poll<Result<()>> {
        self.checks.poll(task).map_err(|error| self.judge(error))
    }

    /// Takes what is known without waiting.
    pub(crate) fn settle(&mut self) -> Result<()> {
        self.checks.settle().map_err(|error| self.judge(error))
    }

    /// What could not be made may be among the buffers and pipelines that are kept for later. A device that is known to be
    /// lost says why.
    fn judge(&self, error: Error) -> Error {
        self.context.distrust_kept();
        self.context.check_alive().err().unwrap_or(error)
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        if !self.checks.is_empty() {
            self.context.outstanding.give_back(std::mem::take(&mut self.checks));
        }
    }
}

fn translate(error: wgpu::Error, bytes: u64) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory { bytes },
        wgpu::Error::Validation { description, .. } => Error::Validation { message: description },
        wgpu::Error::Internal { description, .. } => Error::Internal { message: description },
    }
}

#[cfg(test)]
impl Check {
    /// Tells what it tells when it is asked for the second time: as late as a browser does.
    pub(crate) fn late(mut error: Option<wgpu::Error>, bytes: u64) -> Self {
        let mut is_asked = false;
        let outcome = std::future::poll_fn(move |_| {
            if std::mem::replace(&mut is_asked, true) {
                return Poll::Ready(error.take());
            }
            Poll::Pending
        });
        Self { outcome: Box::pin(outcome), bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::{Check, Checks, Outstanding};
    use crate::error::Error;
    use std::future::ready;

    fn out_of_memory() -> wgpu::Error {
        wgpu::Error::OutOfMemory { source: "full".into() }
    }

    fn invalid() -> wgpu::Error {
        wgpu::Error::Validation { source: "wrong".into(), description: "wrong".into() }
    }

    fn at_once(error: Option<wgpu::Error>, bytes: u64) -> Check {
        Check { outcome: Box::pin(ready(error)), bytes }
    }

    fn kept(checks: impl IntoIterator<Item = Check>) -> Outstanding {
        let outstanding = Outstanding::default();
        checks.into_iter().for_each(|check| outstanding.keep(Checks::from_iter([check])));
        outstanding
    }

    #[test]
    fn what_is_known_at_once_is_told_at_once() {
        let mut checks = Checks::from_iter([at_once(None, 1), at_once(Some(out_of_memory()), 2)]);
        assert_eq!(checks.settle(), Err(Error::OutOfMemory { bytes: 2 }));
        assert_eq!((checks.settle(), checks.is_empty()), (Ok(()), true));
    }

    #[test]
    fn the_first_of_the_work_is_told_whichever_is_known_first() {
        let checks = [
            Check::late(None, 1),
            Check::late(Some(out_of_memory()), 2),
            at_once(Some(invalid()), 3),
        ];
        let mut checks = Checks::from_iter(checks);
        // Not the last, though it is known.
        assert_eq!((checks.settle(), checks.is_empty()), (Ok(()), false));
        assert_eq!(checks.settle(), Ok(()));
        assert_eq!(checks.settle(), Err(Error::OutOfMemory { bytes: 2 }));
        assert!(checks.is_empty(), "what it has led to is told, too");
    }

    #[test]
    fn what_is_kept_is_told_to_one_who_takes_it() {
        let outstanding =
            kept([Check::late(Some(out_of_memory()), 7), Check::late(Some(invalid()), 8)]);
        assert_eq!(outstanding.take().settle(), Err(Error::OutOfMemory { bytes: 7 }));
        assert!(outstanding.take().is_empty());
        // Also if it is known before somebody takes it.
        let outstanding =
            kept([Check::late(Some(out_of_memory()), 7), at_once(None, 1), at_once(None, 1)]);
        assert_eq!(outstanding.take().settle(), Err(Error::OutOfMemory { bytes: 7 }));
    }

    #[test]
    fn what_is_told_does_not_pile_up() {
        let outstanding = kept((0..1000).map(|bytes| Check::late(None, bytes)));
        assert!(outstanding.lock().unknown.len() < 10);
        let outstanding = kept((0..1000).map(|bytes| Check::late(Some(invalid()), bytes)));
        assert!(outstanding.lock().unknown.len() < 10);
    }

    #[test]
    fn what_comes_back_is_before_what_came_later() {
        let outstanding = kept([Check::late(Some(out_of_memory()), 1)]);
        let taken = outstanding.take();
        outstanding.keep(Checks::from_iter([Check::late(Some(invalid()), 2)]));
        outstanding.give_back(taken);
        assert_eq!(outstanding.take().settle(), Err(Error::OutOfMemory { bytes: 1 }));
    }
}
