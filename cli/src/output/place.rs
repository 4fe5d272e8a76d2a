//! What is behind a name.

use crate::input;
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Where something is to be written.
#[derive(Debug)]
pub(super) struct Place {
    /// Behind all links.
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    identity: Option<Identity>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Standard,
    /// A device or a pipe.
    Special,
    /// A regular file. It has no name if only a link to an open file leads to it.
    File {
        is_named: bool,
    },
    Missing,
}

/// What a file has alone.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Identity {
    #[cfg(unix)]
    Inode(u64, u64),
    /// The path without links.
    Path(PathBuf),
}

impl Identity {
    /// None of a file that is not there, and of devices, which may be read and written at a time.
    pub(super) fn of_input(path: &Path) -> Option<Self> {
        if path == Path::new("-") {
            return of_open(&standard_input()?, path);
        }
        let file = input::file_of(path);
        of_open(&fs::metadata(&file).ok()?, &file)
    }
}

#[cfg(unix)]
fn of_open(found: &Metadata, _: &Path) -> Option<Identity> {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    let kind = found.file_type();
    (kind.is_file() || kind.is_fifo()).then(|| Identity::Inode(found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn of_open(found: &Metadata, path: &Path) -> Option<Identity> {
    found.is_file().then(|| fs::canonicalize(path).ok().map(Identity::Path)).flatten()
}

/// The identity of a file that is not there yet.
fn of_missing(path: &Path) -> Option<Identity> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
    Some(Identity::Path(folder.join(path.file_name()?)))
}

impl Place {
    /// `-` is standard output, and so is whatever else leads to it.
    pub(super) fn of(name: &Path) -> io::Result<Self> {
        let output = standard_output();
        let standard = |found: Option<&Metadata>| Self {
            path: name.to_path_buf(),
            kind: Kind::Standard,
            identity: found.and_then(|found| of_open(found, name)),
        };
        if name == Path::new("-") {
            return Ok(standard(output.as_ref()));
        }
        let found = match fs::metadata(name) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (path, _) = end_of_links(name)?;
                let identity = of_missing(&path);
                return Ok(Self { path, kind: Kind::Missing, identity });
            }
            Err(error) => return Err(error),
        };
        if output.is_some_and(|output| is_same(&output, &found)) {
            return Ok(standard(Some(&found)));
        }
        let identity = of_open(&found, name);
        if found.is_file() {
            let (path, is_named) = end_of_links(name)?;
            return Ok(Self { path, kind: Kind::File { is_named }, identity });
        }
        refuse(found.file_type())?;
        Ok(Self { path: name.to_path_buf(), kind: Kind::Special, identity })
    }

    /// Whether both are one file.
    pub(super) fn collides(&self, other: &Self) -> bool {
        let are_standard = [self, other].iter().all(|place| place.kind == Kind::Standard);
        are_standard || self.is(other.identity.as_ref())
    }

    /// Whether it is this file.
    pub(super) fn is(&self, identity: Option<&Identity>) -> bool {
        identity.is_some() && self.identity.as_ref() == identity
    }
}

/// Links that may follow each other, as on Linux.
const MOST_LINKS: usize = 40;

/// Where a chain of links ends, and whether what is there has this name. Links of `/proc` lead to open files, whatever
/// they say.
fn end_of_links(name: &Path) -> io::Result<(PathBuf, bool)> {
    let mut path = name.to_path_buf();
    for _ in 0..MOST_LINKS {
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((path, true)),
            Err(error) => return Err(error),
        };
        if !found.is_symlink() {
            return Ok((path, true));
        }
        if is_of_proc(&found) {
            return Ok((path, false));
        }
        let target = fs::read_link(&path)?;
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    Err(io::Error::other("too many links follow each other"))
}

/// Fails if what has been opened is no device or pipe that can be written to.
pub(super) fn check_special(file: &File) -> io::Result<()> {
    let found = file.metadata()?;
    if found.is_file() {
        return Err(io::Error::other("it has become a regular file"));
    }
    refuse(found.file_type())
}

#[cfg(unix)]
fn refuse(kind: FileType) -> io::Result<()> {
    use std::os::unix::fs::FileTypeExt as _;
    let what = if kind.is_dir() {
        "it is a directory"
    } else if kind.is_socket() {
        "it is a socket, which cannot be opened"
    } else if kind.is_block_device() {
        "it is a block device, whose contents would be lost"
    } else {
        return Ok(());
    };
    Err(io::Error::other(what))
}

#[cfg(not(unix))]
fn refuse(kind: FileType) -> io::Result<()> {
    if kind.is_dir() { Err(io::Error::other("it is a directory")) } else { Ok(()) }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    one.dev() == other.dev() && one.ino() == other.ino()
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn is_of_proc(link: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let is_mounted = |proc: &Metadata| fs::metadata("/").is_ok_and(|root| root.dev() != proc.dev());
    fs::metadata("/proc").is_ok_and(|proc| proc.dev() == link.dev() && is_mounted(&proc))
}

#[cfg(not(unix))]
fn is_of_proc(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn of_descriptor(descriptor: impl std::os::fd::AsFd) -> Option<Metadata> {
    File::from(descriptor.as_fd().try_clone_to_owned().ok()?).metadata().ok()
}

#[cfg(unix)]
fn standard_output() -> Option<Metadata> {
    of_descriptor(io::stdout())
}

#[cfg(unix)]
fn standard_input() -> Option<Metadata> {
    of_descriptor(io::stdin())
}

#[cfg(not(unix))]
fn standard_output() -> Option<Metadata> {
    None
}

#[cfg(not(unix))]
fn standard_input() -> Option<Metadata> {
    None
}
