//! Where bytes come from.

use crate::failure::Failure;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

/// A stream of bytes, and how many they are if that is known beforehand.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) bytes: Box<dyn Read>,
    len: Option<u64>,
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

    /// Whether it is a file whose length is known.
    pub(super) fn is_regular(&self) -> bool {
        self.len.is_some()
    }

    /// Whether these are the first bytes. None of them is lost.
    pub(super) fn starts_with(&mut self, magic: &[u8]) -> Result<bool, String> {
        let mut first = vec![0; magic.len()];
        let read = read_fully(&mut self.bytes, &mut first).map_err(|error| error.to_string())?;
        first.truncate(read);
        let is_magic = first == magic;
        let rest = std::mem::replace(&mut self.bytes, Box::new(io::empty()));
        self.bytes = Box::new(Cursor::new(first).chain(rest));
        Ok(is_magic)
    }

    /// How many bytes there are from byte `start` on, which must be the next one to read. What has
    /// no known length is read and held for that, though no farther than `most` bytes.
    pub(super) fn bytes_from(&mut self, start: u64, most: u64) -> Result<u64, String> {
        if let Some(len) = self.len {
            return Ok(len.saturating_sub(start));
        }
        let mut held = Vec::new();
        (&mut self.bytes)
            .take(most)
            .read_to_end(&mut held)
            .map_err(|error| format!("{error}, after {} bytes", held.len()))?;
        let len = held.len() as u64;
        self.bytes = Box::new(Cursor::new(held));
        Ok(len)
    }
}

/// Fills `target` as far as there are bytes, and tells how far that is.
pub(super) fn read_fully(bytes: &mut dyn Read, target: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while let Some(rest) = target.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match bytes.read(rest) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}
