//! Files that appear when they are complete.

use crate::failure::Failure;
use crate::interrupt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A file that gets its name when it is complete. Dropped before, it is removed.
#[derive(Debug)]
pub(crate) struct Partial {
    pub(crate) file: File,
    path: PathBuf,
    target: PathBuf,
}

impl Partial {
    /// A new file beside `target`, or beside what that links to.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let target = match fs::canonicalize(target) {
            Ok(existing) if !existing.is_file() => {
                return Err(io::Error::other("it exists and is not a regular file"));
            }
            Ok(existing) => existing,
            Err(_) => target.to_path_buf(),
        };
        let name = target.file_name().ok_or_else(|| io::Error::other("it is no file name"))?;
        let mut partial_name = std::ffi::OsString::from(".");
        partial_name.push(name);
        partial_name.push(format!(".{}.partial", std::process::id()));
        let path = target.with_file_name(partial_name);
        interrupt::begin(&path);
        let made = File::create(&path).inspect_err(|_| interrupt::end(&path));
        Ok(Self { file: made?, path, target })
    }

    /// [`create`](Self::create) for a file that [`write`](Self::write) will fill.
    pub(crate) fn for_text(target: &Path) -> Result<Self, Failure> {
        let failure = |error| Failure::in_file(&target.display().to_string(), error);
        Self::create(target).map_err(failure)
    }

    /// Fills the file and gives it its name.
    pub(crate) fn write(mut self, text: &str) -> Result<(), Failure> {
        let name = self.target.display().to_string();
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.complete());
        written.map_err(|error| Failure::in_file(&name, error))
    }

    pub(crate) fn complete(self) -> io::Result<()> {
        fs::rename(&self.path, &self.target)
    }
}

impl Drop for Partial {
    /// Does nothing once the file has its name.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        interrupt::end(&self.path);
    }
}
