//! Ctrl-C and other signals that end a command: it ends where it can, says so, and leaves nothing half-written.

use crate::failure::Failure;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of the signal that has come; 0 for none.
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// Files that are being written.
static HALF_WRITTEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How long a command has to notice. One that waits for standard input or the device may not.
const GRACE: Duration = Duration::from_millis(500);

/// Listens from now on.
pub(crate) fn listen() {
    if let Err(error) = start() {
        // The system's own way to end a program is left then.
        log::debug!("nobody listens for signals: {error}");
    }
}

#[cfg(unix)]
fn start() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    // A file that grows too large is an error of writing then, and the end of nothing.
    signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default())?;
    let hung_up = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    let heard = [SIGINT, SIGTERM].into_iter().chain(hung_up);
    let mut signals = signal_hook::iterator::Signals::new(heard)?;
    let listen = move || {
        if let Some(signal) = signals.forever().next() {
            end(u8::try_from(signal).unwrap_or(Failure::INTERRUPT));
        }
    };
    std::thread::Builder::new().spawn(listen).map(drop)
}

#[cfg(not(unix))]
fn start() -> io::Result<()> {
    ctrlc::set_handler(|| end(Failure::INTERRUPT)).map_err(io::Error::other)
}

/// Whether whoever started the program had it ignore a signal, as `nohup` does. (Shells have programs in the background ignore `SIGINT`, which
/// then still ends them.)
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    // Linux alone says so.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let bits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let bits = bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or_default();
    bits >> (signal - 1) & 1 == 1
}

fn end(signal: u8) {
    SIGNAL.store(signal, Ordering::SeqCst);
    std::thread::sleep(GRACE);
    // Kept until the end, so that no other file is begun.
    let half_written = half_written();
    for path in &*half_written {
        let _ = std::fs::remove_file(path);
    }
    let failure = Failure::Interrupted(signal);
    let _ = failure.report();
    // At once: what drivers have to do at the end of a program must not meet threads that still use them.
    signal_hook::low_level::exit(failure.status().into());
}

/// Fails if a signal has come.
pub(crate) fn check() -> Result<(), Failure> {
    match SIGNAL.load(Ordering::SeqCst) {
        0 => Ok(()),
        signal => Err(Failure::Interrupted(signal)),
    }
}

/// A file that is to go if the command ends before it is complete.
#[derive(Debug)]
pub(crate) struct HalfWritten(PathBuf);

impl HalfWritten {
    /// Makes a file and notes it before a signal can end the command.
    pub(crate) fn begin<F>(
        make: impl FnOnce() -> io::Result<F>,
        path: impl FnOnce(&F) -> PathBuf,
    ) -> io::Result<(F, Self)> {
        let mut half_written = half_written();
        let file = make()?;
        let path = path(&file);
        half_written.push(path.clone());
        Ok((file, Self(path)))
    }
}

impl Drop for HalfWritten {
    fn drop(&mut self) {
        half_written().retain(|begun| *begun != self.0);
    }
}

/// Does work that a signal does not end before it is done.
pub(crate) fn uninterrupted<R>(work: impl FnOnce() -> R) -> R {
    let _guard = half_written();
    work()
}

fn half_written() -> MutexGuard<'static, Vec<PathBuf>> {
    HALF_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner)
}
