//! Bytes that are on their way, whatever becomes of them.

use crate::device::awaited::Awaited;
use crate::device::context::Context;
use crate::device::readback::Readback;
#[cfg(not(target_family = "wasm"))]
use crate::device::waiter::Patience;
#[cfg(not(target_family = "wasm"))]
use crate::error::Error;
use crate::error::Result;
use std::sync::Arc;
use std::task::{self, Poll};
#[cfg(not(target_family = "wasm"))]
use std::time::Duration;

/// Bytes that a submission copies to the host.
#[derive(Debug)]
pub(crate) struct Arrival {
    context: Arc<Context>,
    checks: Awaited,
    readback: Readback,
    pub(crate) submission: wgpu::SubmissionIndex,
    /// Its own, if somebody gave it one.
    #[cfg(not(target_family = "wasm"))]
    patience: Option<Patience>,
    #[cfg(not(target_family = "wasm"))]
    watched: bool,
}

impl Arrival {
    /// Asks for `readback`, into which `submission` copies.
    pub(crate) fn new(
        context: &Arc<Context>,
        readback: Readback,
        submission: wgpu::SubmissionIndex,
    ) -> Self {
        Self {
            checks: Awaited::new(context),
            context: Arc::clone(context),
            readback,
            submission,
            #[cfg(not(target_family = "wasm"))]
            patience: None,
            #[cfg(not(target_family = "wasm"))]
            watched: false,
        }
    }

    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = Some(patience);
        self
    }

    /// It is waited for with its own patience, or with that of what came before if it has none.
    #[cfg_attr(target_family = "wasm", expect(unused_variables, reason = "nobody waits there"))]
    pub(crate) fn after(self, before: &Self) -> Self {
        #[cfg(not(target_family = "wasm"))]
        let after = Self { patience: self.patience.or(before.patience), ..self };
        #[cfg(target_family = "wasm")]
        let after = self;
        after
    }

    /// Its own, or the default.
    #[cfg(not(target_family = "wasm"))]
    fn patience(&self) -> Patience {
        self.patience.unwrap_or_default()
    }

    /// Blocks until the bytes are there.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn wait(&mut self) -> Result<()> {
        self.readback.mapping.wait(&self.context, &self.submission, self.patience())?;
        self.checks.settle()
    }

    /// Blocks for no longer than `timeout`; whether they are there then. Its own deadline is an error, if it comes first.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn wait_timeout(&mut self, timeout: Duration) -> Result<bool> {
        let own = self.patience();
        if own.deadline.is_some_and(|deadline| deadline <= timeout) {
            return self.wait().map(|()| true);
        }
        let patience = Patience { deadline: Some(timeout), ..own };
        match self.readback.mapping.wait(&self.context, &self.submission, patience) {
            Err(Error::Timeout) => Ok(false),
            outcome => outcome.and_then(|()| self.checks.settle()).map(|()| true),
        }
    }

    /// Whether they are there.
    pub(crate) fn poll(&mut self, task: &mut task::Context<'_>) -> Poll<Result<()>> {
        match self.checks.poll(task) {
            Poll::Ready(Ok(())) => {}
            unfinished => return unfinished,
        }
        if self.readback.mapping.is_answered(task.waker()) {
            return Poll::Ready(Ok(()));
        }
        self.watch().map_or_else(|error| Poll::Ready(Err(error)), |()| Poll::Pending)
    }

    /// What `take` makes of them, once they are there.
    pub(crate) fn read<R>(&mut self, take: impl FnOnce(&[u8]) -> Result<R>) -> Result<R> {
        self.readback.read(&self.context, take)?
    }

    #[cfg(not(target_family = "wasm"))]
    fn watch(&mut self) -> Result<()> {
        self.context.check_alive()?;
        if !self.watched {
            self.watched = true;
            let answer = self.readback.mapping.answered();
            self.context.watch(&self.submission, self.patience().limit(), answer)?;
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
