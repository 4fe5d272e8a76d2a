//! What a `.npy` file holds, from its header: for files that nobody vouches for.
//!
//! ```
//! use wgpu_reduce::ElementKind;
//!
//! let text = "{'descr': '>i2', 'fortran_order': False, 'shape': (1, 2), }";
//! let mut file = [&b"\x93NUMPY\x01\x00"[..], &[text.len() as u8, 0], text.as_bytes()].concat();
//! file.extend([0, 7, 1, 0]);
//! let layout = wgpu_reduce_npy::read_header(&mut &file[..])?;
//! assert_eq!((layout.element, layout.elements), (ElementKind::I16, Some(2)));
//! let data = &mut file[layout.data_start as usize..];
//! layout.put_in_order(data);
//! assert_eq!(i16::from_ne_bytes([data[2], data[3]]), 256);
//! # Ok::<(), String>(())
//! ```

mod dtype;
mod header;
mod literal;
mod text;

use header::Header;
use std::io::Read;
use wgpu_reduce::ElementKind;

/// What every file starts with.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The type of elements.
    pub element: ElementKind,
    /// Whether an element's highest byte comes first.
    pub is_big_endian: bool,
    /// None for raw data that ends where it ends.
    pub elements: Option<u64>,
    /// Bytes before the first element.
    pub data_start: u64,
    /// None for raw data.
    pub shape: Option<Shape>,
}

/// The dimensions of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Of none, the array has one element.
    pub extents: Vec<u64>,
    /// Whether the first dimension's elements are neighbours, and not the last one's.
    pub is_fortran: bool,
}

impl Layout {
    /// How many bytes of data there should be, if that is known.
    #[must_use]
    pub fn promised(&self) -> Option<u64> {
        self.elements.map(|elements| elements * self.element.size_bytes())
    }

    /// Puts the bytes of elements in the order of the machine.
    pub fn put_in_order(&self, bytes: &mut [u8]) {
        if self.is_big_endian != cfg!(target_endian = "big") {
            let element_bytes = usize::try_from(self.element.size_bytes()).unwrap_or(1);
            bytes.chunks_exact_mut(element_bytes).for_each(<[u8]>::reverse);
        }
    }

    /// What to say of data that end after `present` bytes.
    #[must_use]
    pub fn truncated(&self, present: u64) -> String {
        let (start, promised) = (self.data_start, self.promised().unwrap_or_default());
        format!(
            "truncated at byte {}: the header promises {promised} bytes of data from byte {start} \
             on",
            start + present
        )
    }

    /// Fails if a file with so many bytes behind the header has too few. It may have more, as NumPy's have to which
    /// something was appended.
    ///
    /// # Errors
    ///
    /// It names the byte where the data end.
    pub fn check_data(&self, present: u64) -> Result<(), String> {
        match self.promised() {
            Some(promised) if present < promised => Err(self.truncated(present)),
            _ => Ok(()),
        }
    }

    /// Bytes that follow the array, of so many behind the header.
    ///
    /// ```
    /// use wgpu_reduce::ElementKind;
    /// use wgpu_reduce_npy::Layout;
    ///
    /// let (element, is_big_endian) = (ElementKind::I16, false);
    /// let layout = Layout { element, is_big_endian, elements: Some(3), data_start: 128, shape: None };
    /// assert_eq!([layout.bytes_after(6), layout.bytes_after(10)], [0, 4]);
    /// ```
    #[must_use]
    pub fn bytes_after(&self, present: u64) -> u64 {
        self.promised().map_or(0, |promised| present.saturating_sub(promised))
    }
}

/// The element types, for messages.
#[must_use]
pub fn supported() -> String {
    let names = ElementKind::ALL.map(ElementKind::name);
    let [others @ .., last] = &names;
    format!("{} and {last}", others.join(", "))
}

/// Where the header's length lies, behind magic and version.
const LENGTH_AT: u64 = 8;

/// More is not even read.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// Without the spaces at its end, a header of a supported type is far shorter.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// Reads up to where the data starts.
///
/// # Errors
///
/// What is wrong, and at which byte.
pub fn read_header(bytes: &mut dyn Read) -> Result<Layout, String> {
    read_header_as(bytes, None)
}

/// Reads up to where the data starts, and takes elements without a meaning, as `V2`, for those of a type of that size.
/// NumPy's package `ml_dtypes` writes `bf16` so, of which NumPy has no type.
///
/// ```
/// use wgpu_reduce::ElementKind;
///
/// let text = "{'descr': '<V2', 'fortran_order': False, 'shape': (3,), }";
/// let file = [&b"\x93NUMPY\x01\x00"[..], &[text.len() as u8, 0], text.as_bytes()].concat();
/// let layout = wgpu_reduce_npy::read_header_as(&mut &file[..], Some(ElementKind::Bf16))?;
/// assert_eq!((layout.element, layout.elements), (ElementKind::Bf16, Some(3)));
/// assert!(wgpu_reduce_npy::read_header(&mut &file[..]).is_err());
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// What is wrong, and at which byte.
pub fn read_header_as(bytes: &mut dyn Read, meant: Option<ElementKind>) -> Result<Layout, String> {
    let Prelude { version, text_at, text_bytes } = read_prelude(bytes)?;
    let text = take(bytes, text_at, text_bytes, "the header")?;
    let decoded = Text::new(text, version, text_at)?;
    let text = decoded.trimmed();
    if text.len() > MAX_TEXT_BYTES {
        return Err(format!("byte {text_at}: the header is longer than {MAX_TEXT_BYTES} bytes"));
    }
    let header = Header::read(text, version < 3).map_err(|fault| decoded.at(fault))?;
    let (element, is_big_endian) = dtype::element_of(&header.descr, text, meant)?;
    let (elements, data_start) = (header.elements, text_at + text_bytes);
    let end = elements.checked_mul(element.size_bytes());
    let end = end.and_then(|bytes| bytes.checked_add(data_start));
    if end.is_none() {
        return Err(format!("byte {text_at}: {elements} elements end beyond 2^64 bytes"));
    }
    let shape = Some(Shape { extents: header.extents, is_fortran: header.is_fortran });
    Ok(Layout { element, is_big_endian, elements: Some(elements), data_start, shape })
}

/// The text of a header, as NumPy reads it: UTF-8, or in the first versions of the format Latin-1.
struct Text {
    decoded: String,
    is_latin_1: bool,
    start: u64,
}

impl Text {
    fn new(bytes: Vec<u8>, version: u8, start: u64) -> Result<Self, String> {
        match String::from_utf8(bytes) {
            Ok(decoded) => Ok(Self { decoded, is_latin_1: false, start }),
            Err(error) if version < 3 => {
                let decoded = error.into_bytes().into_iter().map(char::from).collect();
                Ok(Self { decoded, is_latin_1: true, start })
            }
            Err(error) => {
                let at = start + error.utf8_error().valid_up_to() as u64;
                Err(format!("byte {at}: the header is not UTF-8"))
            }
        }
    }

    /// Without the blanks that fill it up.
    fn trimmed(&self) -> &str {
        self.decoded.trim_end()
    }

    /// What is wrong, with the byte of the file where it is.
    fn at(&self, (offset, what): (usize, String)) -> String {
        let before = self.decoded.get(..offset).unwrap_or_default();
        let bytes = if self.is_latin_1 { before.chars().count() } else { offset };
        format!("byte {}: {what}", self.start + bytes as u64)
    }
}

/// What comes before a header's text: the format's version, and where the text starts and how long it is.
struct Prelude {
    version: u8,
    text_at: u64,
    text_bytes: u64,
}

/// Reads magic, version and length.
fn read_prelude(bytes: &mut dyn Read) -> Result<Prelude, String> {
    let magic = take(bytes, 0, MAGIC.len() as u64, "the magic \\x93NUMPY")?;
    if magic != MAGIC {
        return Err("byte 0: not a .npy file, which starts with \\x93NUMPY".into());
    }
    let version = take(bytes, MAGIC.len() as u64, 2, "the version")?;
    let (version, length_bytes) = match version[..] {
        [1, 0] => (1, 2),
        [version @ (2 | 3), 0] => (version, 4),
        _ => {
            let version: Vec<_> = version.iter().map(u8::to_string).collect();
            let version = version.join(".");
            return Err(format!(
                "byte {}: version {version} of the .npy format is not supported; 1.0, 2.0 and 3.0 \
                 are",
                MAGIC.len()
            ));
        }
    };
    let length = take(bytes, LENGTH_AT, length_bytes, "the header's length")?;
    let length = length.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
    if length > MAX_HEADER_BYTES {
        return Err(format!(
            "byte {LENGTH_AT}: the header's length of {length} bytes is more than {MAX_HEADER_BYTES}"
        ));
    }
    Ok(Prelude { version, text_at: LENGTH_AT + length_bytes, text_bytes: length })
}

/// The `count` bytes from byte `at` on. Memory grows with the bytes that are there.
fn take(bytes: &mut dyn Read, at: u64, count: u64, what: &str) -> Result<Vec<u8>, String> {
    let mut taken = Vec::new();
    bytes.take(count).read_to_end(&mut taken).map_err(|error| error.to_string())?;
    let (end, present) = (at + count, at + taken.len() as u64);
    if present < end {
        return Err(format!("truncated at byte {present}: {what} ends at byte {end}"));
    }
    Ok(taken)
}
