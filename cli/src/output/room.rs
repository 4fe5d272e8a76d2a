//! Whether there is room on a disk.

use std::io;
use std::path::Path;

/// Fails if the file system of `path` has no room for so many bytes, of which `there` are there already.
pub(super) fn check(path: &Path, there: u64, bytes: u64) -> io::Result<()> {
    let Ok(free) = fs4::available_space(path) else { return Ok(()) };
    if bytes.saturating_sub(there) <= free && i64::try_from(bytes).is_ok() {
        return Ok(());
    }
    let what = format!("it needs {bytes} bytes, and the file system has {free} bytes free");
    Err(io::Error::new(io::ErrorKind::StorageFull, what))
}

/// As [`check`], for standard output, where that is a file.
pub(super) fn check_standard(bytes: u64) -> io::Result<()> {
    let path = Path::new("/dev/stdout");
    if path.metadata().is_ok_and(|found| found.is_file()) { check(path, 0, bytes) } else { Ok(()) }
}
