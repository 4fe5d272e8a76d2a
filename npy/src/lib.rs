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

mod screen;

use npyz::{DType, Endianness, NpyHeader, TypeChar, TypeStr};
use screen::screen;
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

    /// Fails if a file with so many bytes behind the header has too few or too many.
    ///
    /// # Errors
    ///
    /// It names the byte where the data end, or should end.
    pub fn check_data(&self, present: u64) -> Result<(), String> {
        let Some(promised) = self.promised() else { return Ok(()) };
        if present < promised {
            return Err(self.truncated(present));
        }
        match present - promised {
            0 => Ok(()),
            extra => {
                Err(format!("{extra} bytes too many from byte {} on", self.data_start + promised))
            }
        }
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
    let (text_at, text_bytes) = read_prelude(bytes)?;
    let text = take(bytes, text_at, text_bytes, "the header")?;
    let text = std::str::from_utf8(&text).map_err(|error| {
        format!("byte {}: the header is not UTF-8", text_at + error.valid_up_to() as u64)
    })?;
    let text = text.trim_end();
    if text.len() > MAX_TEXT_BYTES {
        return Err(format!("byte {text_at}: the header is longer than {MAX_TEXT_BYTES} bytes"));
    }
    screen(text).map_err(|(offset, what)| format!("byte {}: {what}", text_at + offset as u64))?;
    let header = parse(text).map_err(|message| describe(&message, text, text_at))?;
    let (element, is_big_endian) = element_of(&header.dtype(), meant)?;
    // The screen has made sure that this does not overflow.
    let elements = header.shape().iter().product::<u64>();
    let data_start = text_at + text_bytes;
    let end = elements.checked_mul(element.size_bytes());
    let end = end.and_then(|bytes| bytes.checked_add(data_start));
    if end.is_none() {
        return Err(format!("byte {text_at}: {elements} elements end beyond 2^64 bytes"));
    }
    let is_fortran = header.order() == npyz::Order::Fortran;
    let shape = Some(Shape { extents: header.shape().to_vec(), is_fortran });
    Ok(Layout { element, is_big_endian, elements: Some(elements), data_start, shape })
}

/// Reads magic, version and length: where the header's text starts and how long it is.
fn read_prelude(bytes: &mut dyn Read) -> Result<(u64, u64), String> {
    let magic = take(bytes, 0, MAGIC.len() as u64, "the magic \\x93NUMPY")?;
    if magic != MAGIC {
        return Err("byte 0: not a .npy file, which starts with \\x93NUMPY".into());
    }
    let version = take(bytes, MAGIC.len() as u64, 2, "the version")?;
    let length_bytes = match version[..] {
        [1, 0] => 2,
        [2 | 3, 0] => 4,
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
    Ok((LENGTH_AT + length_bytes, length))
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

/// Parses text that has passed the screen.
fn parse(text: &str) -> Result<NpyHeader, String> {
    // `=` is the byte order of the machine; the parser knows only the other two by name.
    let order = if cfg!(target_endian = "little") { '<' } else { '>' };
    let text = text.replace("'=", &format!("'{order}")).replace("\"=", &format!("\"{order}"));
    let length = u32::try_from(text.len()).map_err(|error| error.to_string())?;
    let file = [MAGIC, b"\x03\x00", &length.to_le_bytes(), text.as_bytes()].concat();
    NpyHeader::from_reader(&file[..]).map_err(|error| error.to_string())
}

/// The parser's message in one line, with the byte that it is about.
fn describe(message: &str, text: &str, text_at: u64) -> String {
    let column = message.split_once("--> 1:").and_then(|(_, rest)| {
        let column: usize = rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        let expected = rest.lines().last()?.trim_start_matches([' ', '=']).to_owned();
        Some((column, expected))
    });
    let (offset, what) = match column {
        Some((column, expected)) => {
            let offset = text.char_indices().nth(column.saturating_sub(1));
            (offset.map_or(text.len(), |(offset, _)| offset), expected)
        }
        None => (0, message.lines().next().unwrap_or_default().into()),
    };
    format!("byte {}: the header cannot be parsed: {what}", text_at + offset as u64)
}

/// What to do about a type that is not supported.
fn advice_on(plain: &TypeStr) -> &'static str {
    match (plain.type_char(), plain.size_field()) {
        (TypeChar::Bool, _) => "; in NumPy view('u1') makes u8 of bool",
        (TypeChar::RawData, 2) => "; if it is the bfloat16 of ml_dtypes, name the type: bf16",
        _ => "",
    }
}

/// The type of elements, and whether their highest byte comes first. Those without a meaning are what is meant.
fn element_of(dtype: &DType, meant: Option<ElementKind>) -> Result<(ElementKind, bool), String> {
    let unsupported = || {
        let kind = if let DType::Record(_) = dtype { "structured dtype" } else { "dtype" };
        let name: String = dtype.descr().chars().take(80).collect();
        let advice = match dtype {
            DType::Plain(plain) => advice_on(plain),
            _ => "",
        };
        format!("{kind} {name} is not supported; {} are{advice}", supported())
    };
    let DType::Plain(plain) = dtype else { return Err(unsupported()) };
    let letter = match plain.type_char() {
        TypeChar::Float => Some('f'),
        TypeChar::Int => Some('i'),
        TypeChar::Uint => Some('u'),
        TypeChar::RawData => None,
        _ => return Err(unsupported()),
    };
    let is_meant = |kind: &ElementKind| {
        let is_named =
            letter.map_or(meant == Some(*kind), |letter| kind.name().starts_with(letter));
        is_named && kind.size_bytes() == plain.size_field()
    };
    let element = ElementKind::ALL.into_iter().find(is_meant).ok_or_else(unsupported)?;
    // The parser refuses types of several bytes that have no order of them.
    Ok((element, plain.endianness() == Endianness::Big))
}
