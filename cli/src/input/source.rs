//! Where bytes come from.

use crate::failure::Failure;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

/// A stream of bytes, and how many they are if that is known beforehand.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) bytes: Box<dyn Read>,
    pub(super) len: Option<u64>,
    /// Whether it can be read again from its beginning.
    pub(super) is_reopenable: bool,
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
        if metadata.is_dir() {
            return Err(Failure::in_file(&name, "it is a directory"));
        }
        let len = metadata.is_file().then_some(metadata.len());
        Ok(Self { name, bytes: Box::new(file), len, is_reopenable: len.is_some() })
    }

    /// A stream that ends where it ends.
    pub(super) fn stream(name: &str, bytes: impl Read + 'static) -> Self {
        Self { name: name.into(), bytes: Box::new(bytes), len: None, is_reopenable: false }
    }

    /// The first bytes, as many as there are up to `count`. None of them is lost.
    pub(super) fn first(&mut self, count: usize) -> Result<Vec<u8>, Failure> {
        let mut first = vec![0; count];
        let read = read_fully(&mut self.bytes, &mut first, 0);
        first.truncate(read.map_err(|what| Failure::in_file(&self.name, what))?);
        let rest = std::mem::replace(&mut self.bytes, Box::new(io::empty()));
        self.bytes = Box::new(Cursor::new(first.clone()).chain(rest));
        Ok(first)
    }

    /// What is in a file that gzip has made.
    pub(super) fn unzipped(self) -> Self {
        Self { bytes: Box::new(MultiGzDecoder::new(self.bytes)), len: None, ..self }
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
