//! Elements from a file or from standard input.

mod archive;
mod gzip;
mod kinds;
mod pieces;
#[cfg(any(unix, windows))]
mod positioned;
mod source;

pub(crate) use pieces::Pieces;

use crate::args::Format;
use crate::failure::Failure;
use archive::Named;
use kinds::{FIRST_BYTES, kind_of};
use source::{Source, read_fully};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use wgpu_reduce::ElementKind;
use wgpu_reduce_npy::{Layout, MAGIC, Shape, read_header_as, supported};

/// Bytes that are on the host at a time: whole elements of any type.
const CHUNK_BYTES: usize = 16 << 20;

/// Elements that have yet to be read.
pub(crate) struct Input {
    name: String,
    bytes: Box<dyn Read>,
    /// The file that `bytes` come from as they are, byte for byte.
    file: Option<File>,
    layout: Layout,
    /// Whether the length is known, and right. What else is too short or too long shows when it is
    /// read.
    is_regular: bool,
    is_reopenable: bool,
}

/// How much is taken of standard input or a pipe, which may have no end.
#[derive(Clone)]
pub(crate) struct Room {
    pub(crate) bytes: u64,
    /// That takes no more: an adapter, or an option.
    pub(crate) taker: String,
}

impl Input {
    /// Opens a file, a member of an archive, or standard input for `-`, and reads its header. If it is a regular file, it
    /// is made sure that its length is right.
    pub(crate) fn open(
        path: &Path,
        format: Option<Format>,
        dtype: Option<ElementKind>,
    ) -> Result<Self, Failure> {
        let named = Named::new(path);
        let mut source = Source::open(&named.file)?;
        let mut name = named.file.clone();
        // Elements and nothing else are what they are.
        if format != Some(Format::Raw) {
            let first = source.first(FIRST_BYTES)?;
            if archive::MAGICS.iter().any(|magic| first.starts_with(magic)) {
                need_file(&source)?;
                source = archive::open(&named)?;
                name.set_extension("npy");
            } else if first.starts_with(gzip::MAGIC) {
                source = source.unzipped();
                name.set_extension("");
                let packed = packed_kind(&source.first(FIRST_BYTES)?).map_or(Ok(()), Err);
                packed.map_err(|what| Failure::in_file(&source.name, what))?;
            }
        }
        if let Some(member) =
            named.member.filter(|_| source.name == named.file.display().to_string())
        {
            let what = format!("it is no zip archive, of which {member} could be a member");
            return Err(Failure::in_file(&source.name, what));
        }
        let first = source.first(FIRST_BYTES)?;
        let is_named_npy =
            || name.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
        let is_npy = match format {
            Some(format) => format == Format::Npy,
            None => is_named_npy() || first.starts_with(MAGIC),
        };
        check_kind(&first, is_npy, dtype).map_err(|what| Failure::in_file(&source.name, what))?;
        Self::new(source, is_npy, dtype)
    }

    fn new(mut source: Source, is_npy: bool, dtype: Option<ElementKind>) -> Result<Self, Failure> {
        let layout = if is_npy {
            npy_layout(&mut source, dtype)
        } else {
            let element = dtype.ok_or_else(|| {
                let name = &source.name;
                let types = supported();
                Failure::Usage(format!("{name}: a raw file needs --dtype, one of {types}"))
            })?;
            raw_layout(source.len, element)
        };
        let layout = layout.map_err(|what| Failure::in_file(&source.name, what))?;
        let Source { name, bytes, file, len, is_reopenable } = source;
        Ok(Self { name, bytes, file, layout, is_regular: len.is_some(), is_reopenable })
    }

    /// So many samples of an image, those of 16 bits with the high byte first.
    pub(crate) fn of_samples(
        name: String,
        bytes: Box<dyn Read>,
        element: ElementKind,
        samples: u64,
    ) -> Self {
        let (is_big_endian, elements) = (true, Some(samples));
        let layout = Layout { element, is_big_endian, elements, data_start: 0, shape: None };
        Self { name, bytes, file: None, layout, is_regular: true, is_reopenable: true }
    }

    pub(crate) fn element(&self) -> ElementKind {
        self.layout.element
    }

    /// The name of the file.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it can be read again from its beginning.
    pub(crate) const fn is_reopenable(&self) -> bool {
        self.is_reopenable
    }

    /// The array's shape, where the file has one.
    pub(crate) fn shape(&self) -> Option<&Shape> {
        self.layout.shape.as_ref()
    }

    /// How many elements there should be, if that is known.
    pub(crate) fn elements(&self) -> Option<u64> {
        self.layout.elements
    }

    /// Fails if standard input or a pipe says that it is longer than there is room for.
    pub(crate) fn check_room(&self, room: &Room) -> Result<(), Failure> {
        match self.layout.promised() {
            Some(bytes) if !self.is_regular && bytes > room.bytes => {
                Err(Failure::in_file(&self.name, room.exceeded()))
            }
            _ => Ok(()),
        }
    }

    /// What there is to read, piece by piece.
    pub(crate) fn pieces(self, room: Room) -> Pieces {
        Pieces::new(self, room)
    }

    /// Reads everything and hands it over in pieces. No more than a piece is held.
    pub(crate) fn for_each_chunk<T: bytemuck::Pod>(
        self,
        room: &Room,
        mut take: impl FnMut(&[T]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut pieces = self.pieces(room.clone());
        while let Some(piece) = pieces.next()? {
            take(piece)?;
        }
        Ok(())
    }

    /// Fills `target` with what starts at byte `at`, which comes next, as far as there are bytes, and tells how many that are.
    fn read_fully(&mut self, target: &mut [u8], at: u64) -> Result<usize, Failure> {
        let read = match &self.file {
            #[cfg(any(unix, windows))]
            Some(file) => positioned::read_fully_at(file, target, at),
            _ => read_fully(&mut self.bytes, target, at),
        };
        read.map_err(|what| Failure::in_file(&self.name, what))
    }
}

impl Room {
    /// For any number of bytes.
    pub(crate) fn unlimited() -> Self {
        Self { bytes: u64::MAX, taker: "nothing".into() }
    }

    fn exceeded(&self) -> String {
        let Self { bytes, taker } = self;
        format!(
            "more than {bytes} bytes, the most that {taker} takes of standard input, a pipe or a gzip file"
        )
    }
}

#[cfg(test)]
impl Input {
    /// Raw data as a file or as a stream.
    pub(crate) fn of_bytes(bytes: Vec<u8>, is_file: bool, element: ElementKind) -> Self {
        let len = is_file.then_some(bytes.len() as u64);
        let stream = Source::stream("memory", std::io::Cursor::new(bytes));
        let source = Source { len, is_reopenable: is_file, ..stream };
        Self::new(source, false, Some(element)).unwrap()
    }
}

/// The file that is read, without the name of an archive's member.
pub(crate) fn file_of(path: &Path) -> PathBuf {
    Named::new(path).file
}

/// Returns what is said of the contents of a gzip file that are packed again.
fn packed_kind(first: &[u8]) -> Option<&'static str> {
    if archive::MAGICS.iter().any(|magic| first.starts_with(magic)) {
        return Some("a zip archive inside gzip: unpack the gzip file first, as by gzip -d");
    }
    let is_gzip = first.starts_with(gzip::MAGIC);
    is_gzip.then_some("a gzip file inside gzip: unpack one of the two first, as by gzip -d")
}

/// The directory of an archive is at its end, and so it cannot come by a pipe.
fn need_file(source: &Source) -> Result<(), Failure> {
    if source.is_reopenable {
        return Ok(());
    }
    Err(Failure::in_file(&source.name, "a zip archive, which is read only from a file"))
}

/// Fails for what is empty or known to be something else, and should be an array or has no type.
fn check_kind(first: &[u8], is_npy: bool, dtype: Option<ElementKind>) -> Result<(), String> {
    let is_raw = !is_npy && dtype.is_some();
    if is_raw || first.starts_with(MAGIC) {
        return Ok(());
    }
    if first.is_empty() {
        return Err("it is empty".into());
    }
    match kind_of(first) {
        Some(kind) if is_npy => Err(format!("not a .npy file, but {kind}")),
        Some(kind) => Err(format!("not a .npy file, but {kind}; raw elements need --dtype")),
        None => Ok(()),
    }
}

/// Reads the header and checks that a regular file has the data it promises.
fn npy_layout(source: &mut Source, dtype: Option<ElementKind>) -> Result<Layout, String> {
    let layout = read_header_as(&mut source.bytes, dtype)?;
    let element = layout.element;
    if let Some(dtype) = dtype.filter(|&dtype| dtype != element) {
        return Err(format!("it holds {element} elements, not {dtype} as --dtype says"));
    }
    if let Some(len) = source.len {
        let present = len.saturating_sub(layout.data_start);
        layout.check_data(present)?;
        match layout.bytes_after(present) {
            0 => {}
            bytes => log::warn!("{}: {bytes} bytes after the array are left out", source.name),
        }
    }
    Ok(layout)
}

fn raw_layout(bytes: Option<u64>, element: ElementKind) -> Result<Layout, String> {
    let element_bytes = element.size_bytes();
    match bytes {
        Some(bytes) if !bytes.is_multiple_of(element_bytes) => Err(incomplete(bytes, element)),
        _ => {
            let elements = bytes.map(|bytes| bytes / element_bytes);
            let (is_big_endian, data_start, shape) = (false, 0, None);
            Ok(Layout { element, is_big_endian, elements, data_start, shape })
        }
    }
}

fn incomplete(bytes: u64, element: ElementKind) -> String {
    let element_bytes = element.size_bytes();
    format!(
        "the element at byte {} is incomplete: {bytes} bytes are not a multiple of {element_bytes}",
        bytes - bytes % element_bytes
    )
}

#[cfg(test)]
mod tests;
