//! Where bytes come from.

use crate::failure::Failure;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

/// A stream of bytes, and how many they are if that is known beforehand.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) bytes: Box<dyn Read>,
    pub(super) len: Option<u64>,
}

impl Source {
    /// A file, or standard input for `-`.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Ok(Self::stream("standard input", io::stdin().lock()));
        }
        let name = path.display().to_string();
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
        let (metadata, file) = opened.map_err(|error| Failure::in_file(&name, error))?;
        let len = metadata.is_file().then_some(metadata.len());
        Ok(Self { name, bytes: Box::new(file), len })
    }

    /// A stream that ends where it ends.
    pub(super) fn stream(name: &str, bytes: impl Read + 'static) -> Self {
        Self { name: name.into(), bytes: Box::new(bytes), len: None }
    }

    /// Whether these are the first bytes. None of them is lost.
    pub(super) fn starts_with(&mut self, magic: &[u8]) -> Result<bool, String> {
        let mut first = vec![0; magic.len()];
        let read = read_fully(&mut self.bytes, &mut first, 0)?;
        first.truncate(read);
        let is_magic = first == magic;
        let rest = std::mem::replace(&mut self.bytes, Box::new(io::empty()));
        self.bytes = Box::new(Cursor::new(first).chain(rest));
        Ok(is_magic)
    }
}

/// Fills `target` with what starts at byte `at`, as far as there are bytes, and tells how many that
/// are.
pub(super) fn read_fully(
    bytes: &mut dyn Read,
    target: &mut [u8],
    at: u64,
) -> Result<usize, String> {
    let mut read = 0;
    while let Some(rest) = target.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match bytes.read(rest) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("{error}, at byte {}", at + read as u64)),
        }
    }
    Ok(read)
}
