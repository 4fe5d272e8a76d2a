//! Whether there is room on disks.

use std::io;
use std::path::{Path, PathBuf};

/// Bytes that a file will take on the file system of a path, beyond those that it has there.
#[derive(Debug, Clone)]
pub(super) struct Need {
    path: PathBuf,
    bytes: u64,
}

impl Need {
    /// Of a file of so many bytes, of which `there` are there already.
    pub(super) fn new(path: &Path, there: u64, bytes: u64) -> Self {
        Self { path: path.to_path_buf(), bytes: bytes.saturating_sub(there) }
    }

    /// Of standard output, where that is a file.
    pub(super) fn of_standard(bytes: u64) -> Option<Self> {
        let path = Path::new("/dev/stdout");
        let is_file = path.metadata().is_ok_and(|found| found.is_file());
        is_file.then(|| Self::new(path, 0, bytes))
    }
}

/// Fails if a file system has no room for all that is needed of it, the last of these included.
pub(super) fn check(needs: &[Need]) -> io::Result<()> {
    let Some(last) = needs.last() else { return Ok(()) };
    let Ok(free) = fs4::available_space(&last.path) else { return Ok(()) };
    let device = device_of(&last.path);
    let is_beside = |need: &&Need| device.is_some() && device_of(&need.path) == device;
    let (_, before) = needs.split_last().unwrap_or((last, &[]));
    let others = before.iter().filter(is_beside).map(|need| need.bytes);
    let others = others.fold(0, u64::saturating_add);
    let bytes = last.bytes.saturating_add(others);
    if bytes <= free && i64::try_from(bytes).is_ok() {
        return Ok(());
    }
    if i64::try_from(bytes).is_err() {
        let what = "it needs more bytes than any file can have, which is 2^63 - 1";
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    let with_others = match others {
        0 => String::new(),
        others => format!(" beside {others} bytes of other files"),
    };
    let needed = last.bytes;
    let what =
        format!("it needs {needed} bytes{with_others}, and the file system has {free} bytes free");
    Err(io::Error::new(io::ErrorKind::StorageFull, what))
}

/// What a file system has alone; none if it is not known.
#[cfg(unix)]
fn device_of(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    path.metadata().ok().map(|found| found.dev())
}

#[cfg(not(unix))]
fn device_of(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::{Need, check};

    #[test]
    fn what_one_file_system_is_to_hold_is_added_up() {
        let folder = tempfile::tempdir().unwrap();
        let free = fs4::available_space(folder.path()).unwrap();
        let need = |bytes| Need::new(folder.path(), 0, bytes);
        let most = free / 4 * 3;
        check(&[need(most)]).unwrap();
        check(&[need(1), need(most)]).unwrap();
        // What is there is overwritten.
        check(&[need(most), Need::new(folder.path(), most - 1, most)]).unwrap();
        if cfg!(unix) {
            let error = check(&[need(most), need(most)]).unwrap_err().to_string();
            let told = format!("it needs {most} bytes beside {most} bytes of other files, and");
            assert!(error.starts_with(&told), "{error}");
        }
        let error = check(&[need(u64::MAX)]).unwrap_err().to_string();
        assert!(error.starts_with("it needs more bytes than any file can have"), "{error}");
        check(&[]).unwrap();
    }

    /// Beside files elsewhere nothing is added.
    #[test]
    #[cfg(target_os = "linux")]
    fn other_file_systems_are_others() {
        let folder = tempfile::tempdir().unwrap();
        let free = fs4::available_space(folder.path()).unwrap();
        let elsewhere = Need::new(std::path::Path::new("/proc"), 0, u64::MAX);
        check(&[elsewhere, Need::new(folder.path(), 0, free / 2)]).unwrap();
    }
}
