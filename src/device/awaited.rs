//! What a result waits for beside its own bytes: whatever its device has still to tell.

use crate::device::checks::Listener;
use crate::device::context::Context;
use crate::error::{Error, Result};
use std::sync::Arc;
use std::task::{self, Poll};

/// All that a device has still to tell when somebody asks it for a result, which depends on it.
#[derive(Debug)]
pub(crate) struct Awaited {
    context: Arc<Context>,
    listener: Listener,
}

impl Awaited {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context), listener: context.outstanding.listen() }
    }

    /// Ready when all of it is known.
    pub(crate) fn poll(&mut self, task: &task::Context<'_>) -> Poll<Result<()>> {
        let outcome = self.listener.poll(&self.context.outstanding, task);
        outcome.map_err(|error| self.judge(error))
    }

    /// Takes what is known without waiting.
    pub(crate) fn settle(&mut self) -> Result<()> {
        let outcome = self.listener.settle(&self.context.outstanding);
        outcome.map_err(|error| self.judge(error))
    }

    /// What could not be made may be among the buffers and pipelines that are kept for later. A device that is known to be
    /// lost says why.
    fn judge(&self, error: Error) -> Error {
        self.context.distrust_kept();
        self.context.check_alive().err().unwrap_or(error)
    }
}
