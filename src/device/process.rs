//! The process that uses drivers. In one that is forked from it their threads and locks do not live on, and calls would wait for ever.

use crate::error::{Error, Result};
use std::sync::OnceLock;

/// A process, by its number; browsers have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    pub(crate) fn this() -> Self {
        Self(if cfg!(target_family = "wasm") { 0 } else { std::process::id() })
    }

    /// Fails in another process than this one, which was forked from it.
    pub(crate) fn check(self) -> Result<()> {
        if self == Self::this() {
            return Ok(());
        }
        let reason = "this process was forked from one that uses adapters, and drivers do not live on in it: start a new program instead, \
                      or fork before adapters are listed";
        Err(Error::DeviceLost { reason: reason.into() })
    }
}

/// Fails in a process that was forked from one that has called this.
pub(crate) fn check_drivers() -> Result<()> {
    static FIRST: OnceLock<Process> = OnceLock::new();
    FIRST.get_or_init(Process::this).check()
}

#[cfg(test)]
mod tests {
    use super::Process;
    use crate::error::Error;

    #[test]
    fn another_process_is_told_that_it_was_forked() {
        assert_eq!(Process::this().check(), Ok(()));
        let other = Process(std::process::id().wrapping_add(1));
        let Err(Error::DeviceLost { reason }) = other.check() else { panic!("{other:?}") };
        assert!(reason.contains("forked"), "{reason}");
    }
}
