//! Where bytes come from.

use super::gzip::Members;
use crate::failure::Failure;
use std::fs::File;
use std::io::ErrorKind::{InvalidData, IsADirectory};
use std::io::{self, BufReader, Cursor, Read, Seek as _, SeekFrom};
use std::path::Path;

/// A stream of bytes, and how many they are if that is known beforehand.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) bytes: Box<dyn Read>,
    /// The file that they are, if it has a length.
    pub(super) file: Option<File>,
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
        if path.is_dir() {
            return Err(Failure::in_file(&name, "it is a directory"));
        }
        let (file, len) = open(path).map_err(|error| Failure::in_file(&name, error))?;
        let whole = len.and_then(|_| file.try_clone().ok());
        let bytes: Box<dyn Read> = match len {
            Some(_) => Box::new(file),
            // Some files of the system are there for one read that takes all.
            None => Box::new(BufReader::with_capacity(1 << 16, file)),
        };
        Ok(Self { name, bytes, file: whole, len, is_reopenable: len.is_some() })
    }

    /// A stream that ends where it ends.
    pub(super) fn stream(name: &str, bytes: impl Read + 'static) -> Self {
        let bytes = Box::new(bytes);
        Self { name: name.into(), bytes, file: None, len: None, is_reopenable: false }
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
        let bytes = Box::new(Members::new(&self.name, self.bytes));
        Self { bytes, file: None, len: None, ..self }
    }
}

/// A file at its beginning, and its length if it has the one that it reports. Those of `/proc` report none, and others
/// of the system more than they have.
fn open(path: &Path) -> io::Result<(File, Option<u64>)> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Ok((file, None));
    }
    match ends_at(&file, found.len()) {
        Ok(true) => Ok((file, Some(found.len()))),
        // Where it stands now is not known of a file that cannot be sought in.
        _ => Ok((File::open(path)?, None)),
    }
}

/// Whether a file has this many bytes now. Then it stands at its beginning.
fn ends_at(mut file: &File, len: u64) -> io::Result<bool> {
    file.seek(SeekFrom::Start(len.saturating_sub(1)))?;
    let mut last = Vec::new();
    file.take(2).read_to_end(&mut last)?;
    file.rewind()?;
    Ok(last.len() as u64 == len.min(1))
}

/// Linux refuses longer reads of some files of `/proc`.
const MOST_AT_ONCE: usize = 1 << 20;

/// Fills `target` with what starts at byte `at`, as far as there are bytes, and tells how many that
/// are.
pub(super) fn read_fully(
    bytes: &mut dyn Read,
    target: &mut [u8],
    at: u64,
) -> Result<usize, String> {
    let mut read = 0;
    while let Some(rest) = target.get_mut(read..).filter(|rest| !rest.is_empty()) {
        let (step, _) = rest.split_at_mut(rest.len().min(MOST_AT_ONCE));
        match bytes.read(step) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // What is packed has other bytes than the file, and a directory has none.
            Err(error) if matches!(error.kind(), InvalidData | IsADirectory) => {
                return Err(error.to_string());
            }
            Err(error) => return Err(format!("{error}, at byte {}", at + read as u64)),
        }
    }
    Ok(read)
}
