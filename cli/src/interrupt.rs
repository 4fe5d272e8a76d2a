//! Ctrl-C: a command ends where it can, says so, and leaves nothing half-written.

use crate::failure::Failure;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Whether somebody has pressed it.
static PRESSED: AtomicBool = AtomicBool::new(false);

/// Files that are being written.
static HALF_WRITTEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How long a command has to notice. One that waits for standard input or the device may not.
const GRACE: Duration = Duration::from_millis(500);

/// Listens from now on.
pub(crate) fn listen() {
    let listening = ctrlc::set_handler(|| {
        PRESSED.store(true, Ordering::SeqCst);
        std::thread::sleep(GRACE);
        let half_written = std::mem::take(&mut *half_written());
        for path in half_written {
            let _ = std::fs::remove_file(path);
        }
        let _ = Failure::Interrupted.report();
        // At once: what drivers have to do at the end of a program must not meet threads that still use them.
        signal_hook::low_level::exit(Failure::INTERRUPTED.into());
    });
    if let Err(error) = listening {
        // The system's own way to end a program is left then.
        log::debug!("nobody listens for Ctrl-C: {error}");
    }
}

/// Fails if somebody has pressed it.
pub(crate) fn check() -> Result<(), Failure> {
    if PRESSED.load(Ordering::SeqCst) { Err(Failure::Interrupted) } else { Ok(()) }
}

/// Notes a file that is to go if the command ends before it is complete.
pub(crate) fn begin(path: &Path) {
    half_written().push(path.to_path_buf());
}

/// Forgets it.
pub(crate) fn end(path: &Path) {
    half_written().retain(|begun| begun != path);
}

fn half_written() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    HALF_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner)
}
