//! The header of a `.npy` file.

use super::screen::screen;
use super::{Layout, Shape, supported};
use npyz::{DType, Endianness, NpyHeader, TypeChar};
use std::io::Read;
use wgpu_reduce::ElementKind;

/// What every file starts with.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Where the header's length lies, behind magic and version.
const LENGTH_AT: u64 = 8;

/// More is not even read.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// Without the spaces at its end, a header of a supported type is far shorter.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// Reads up to where the data starts. Errors name the byte at fault.
pub(super) fn read_header(bytes: &mut dyn Read) -> Result<Layout, String> {
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
    let (element, is_big_endian) = element_of(&header.dtype())?;
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

/// The type of elements, and whether their highest byte comes first.
fn element_of(dtype: &DType) -> Result<(ElementKind, bool), String> {
    let unsupported = || {
        let kind = if let DType::Record(_) = dtype { "structured dtype" } else { "dtype" };
        let name: String = dtype.descr().chars().take(80).collect();
        format!("{kind} {name} is not supported; {} are", supported())
    };
    let DType::Plain(plain) = dtype else { return Err(unsupported()) };
    let letter = match plain.type_char() {
        TypeChar::Float => 'f',
        TypeChar::Int => 'i',
        TypeChar::Uint => 'u',
        _ => return Err(unsupported()),
    };
    let is_meant = |kind: &ElementKind| {
        kind.name().starts_with(letter) && kind.size_bytes() == plain.size_field()
    };
    let element = ElementKind::ALL.into_iter().find(is_meant).ok_or_else(unsupported)?;
    match plain.endianness() {
        Endianness::Irrelevant if element.size_bytes() > 1 => Err(unsupported()),
        order => Ok((element, order == Endianness::Big)),
    }
}
