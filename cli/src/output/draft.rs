//! What becomes a regular file when it is complete.

use super::room::{self, Need};
use crate::interrupt::{self, HalfWritten};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Seek as _};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Bytes that are not yet in the file they are for. Dropped before they are complete, they are gone.
#[derive(Debug)]
pub(super) enum Draft {
    /// Beside the target, whose name it will get.
    Beside { file: NamedTempFile, target: PathBuf, half_written: HalfWritten },
    /// Without a name, and copied to the target at the end: one that cannot be replaced.
    Apart { file: File, folder: PathBuf, target: File, path: PathBuf },
}

impl Draft {
    /// The draft of a file that is not there yet.
    pub(super) fn of_new(target: PathBuf) -> io::Result<Self> {
        if target.file_name().is_none() {
            return Err(io::Error::other("it is no file name"));
        }
        Self::beside(target, |_| Ok(()))
    }

    /// The draft of a file that is there. It is replaced where the new one can have all that the old one has but its bytes.
    /// It must have no other names, which would keep the old ones. Else it is overwritten at the end.
    pub(super) fn of_existing(path: PathBuf, is_named: bool) -> io::Result<Self> {
        // Whether it may be written to is a matter of the file and not of its folder alone.
        let target = OpenOptions::new().write(true).open(&path)?;
        let found = target.metadata()?;
        if !found.is_file() {
            return Err(io::Error::other("it is no regular file any more"));
        }
        if is_named && has_one_name(&found) {
            let as_before = |draft: &File| keep_attributes(&target, &found, draft);
            if let Ok(draft) = Self::beside(path.clone(), as_before) {
                return Ok(draft);
            }
        }
        let mut folder = folder_of(&path).to_path_buf();
        let file = tempfile::tempfile_in(&folder).or_else(|_| {
            folder = std::env::temp_dir();
            tempfile::tempfile_in(&folder)
        });
        let file = file.map_err(|error| {
            let what = no_copy(folder_of(&path), &folder, error.kind());
            io::Error::new(error.kind(), what)
        })?;
        Ok(Self::Apart { file, folder, target, path })
    }

    fn beside(target: PathBuf, prepare: impl FnOnce(&File) -> io::Result<()>) -> io::Result<Self> {
        let mut builder = Builder::new();
        builder.prefix(".wgpu-reduce-").suffix(".partial");
        let folder = folder_of(&target);
        // The library's own way to open it names the draft in errors.
        let open =
            |path: &Path| OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let made = || builder.make_in(folder, open);
        let begun = HalfWritten::begin(made, |file| file.path().to_path_buf());
        let (file, half_written) = begun.map_err(|error| {
            let what = format!("no file can be made in the folder {}: {error}", folder.display());
            io::Error::new(error.kind(), what)
        })?;
        prepare(file.as_file())?;
        Ok(Self::Beside { file, target, half_written })
    }

    pub(super) fn file(&self) -> &File {
        match self {
            Self::Beside { file, .. } => file.as_file(),
            Self::Apart { file, .. } => file,
        }
    }

    /// Where so many bytes need room: beside the target, or apart and then in it.
    pub(super) fn needs(&self, bytes: u64) -> io::Result<Vec<Need>> {
        Ok(match self {
            Self::Beside { target, .. } => vec![Need::new(folder_of(target), 0, bytes)],
            Self::Apart { folder, target, path, .. } => {
                vec![Need::new(folder, 0, bytes), Need::new(path, target.metadata()?.len(), bytes)]
            }
        })
    }

    /// The target has all bytes now.
    pub(super) fn complete(self) -> io::Result<()> {
        match self {
            Self::Beside { file, target, half_written } => {
                if fs::symlink_metadata(&target).is_ok_and(|found| !found.is_file()) {
                    return Err(io::Error::other("it is no regular file any more"));
                }
                match file.persist(&target) {
                    Ok(_) => {}
                    // What is mounted there, as files are into containers, keeps its name.
                    Err(refused) if refused.error.kind() == io::ErrorKind::ResourceBusy => {
                        let mounted = OpenOptions::new().write(true).open(&target)?;
                        overwrite(refused.file.as_file().try_clone()?, mounted, &target)?;
                    }
                    Err(refused) => return Err(refused.error),
                }
                drop(half_written);
                Ok(())
            }
            Self::Apart { file, target, path, .. } => overwrite(file, target, &path),
        }
    }
}

/// The error of a file of which no copy can be made in its own folder or the other, which may be the same.
fn no_copy(own: &Path, other: &Path, kind: io::ErrorKind) -> String {
    let own_name = own.display();
    if own == other {
        format!("no copy of the file can be made in {own_name}: {kind}")
    } else {
        format!("no copy of the file can be made in {own_name} or {}: {kind}", other.display())
    }
}

/// Gives the target other bytes, which nothing interrupts.
fn overwrite(mut file: File, mut target: File, path: &Path) -> io::Result<()> {
    let len = file.metadata()?.len();
    room::check(&[Need::new(path, target.metadata()?.len(), len)])?;
    file.rewind()?;
    interrupt::uninterrupted(|| {
        let copied = io::copy(&mut file, &mut target).and_then(|_| target.set_len(len));
        if copied.is_err() {
            // Rather nothing than a part.
            let _ = target.set_len(0);
        }
        copied
    })
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

#[cfg(unix)]
fn has_one_name(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    found.nlink() == 1
}

#[cfg(not(unix))]
fn has_one_name(_: &Metadata) -> bool {
    true
}

/// Gives a draft the owner, the mode and the other attributes of the file that it is for.
#[cfg(unix)]
fn keep_attributes(target: &File, found: &Metadata, draft: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    use xattr::FileExt as _;
    let own = draft.metadata()?;
    if (own.uid(), own.gid()) != (found.uid(), found.gid()) {
        fchown(draft, Some(found.uid()), Some(found.gid()))?;
    }
    // The mode comes last: a new owner takes some of it away.
    if let Ok(names) = target.list_xattr() {
        for name in names {
            if let Some(value) = target.get_xattr(&name)? {
                draft.set_xattr(&name, &value)?;
            }
        }
    }
    draft.set_permissions(found.permissions())
}

#[cfg(not(unix))]
fn keep_attributes(_: &File, found: &Metadata, draft: &File) -> io::Result<()> {
    draft.set_permissions(found.permissions())
}

#[cfg(test)]
mod tests {
    use super::no_copy;
    use std::io::ErrorKind::PermissionDenied;
    use std::path::Path;

    #[test]
    fn folders_without_room_for_a_copy_are_named_once() {
        let text = |own, other| no_copy(Path::new(own), Path::new(other), PermissionDenied);
        let (start, end) = ("no copy of the file can be made in", "permission denied");
        assert_eq!(text("/tmp", "/tmp"), format!("{start} /tmp: {end}"));
        assert_eq!(text("a/b", "/tmp"), format!("{start} a/b or /tmp: {end}"));
    }
}
