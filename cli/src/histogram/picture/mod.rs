//! Images, as their samples.

mod jpeg;
mod png;

use crate::failure::Failure;
use crate::input::Input;
use crate::stream::Memory;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Samples, and what those of a pixel are, in their order.
pub(super) struct Picture {
    pub(super) names: &'static [&'static str],
    pub(super) samples: Input,
    /// What its colours were in the file, where they are others now.
    pub(super) converted_from: Option<&'static str>,
}

const GREY: &[&str] = &["grey"];
const GREY_ALPHA: &[&str] = &["grey", "alpha"];
const RGB: &[&str] = &["red", "green", "blue"];
const RGBA: &[&str] = &["red", "green", "blue", "alpha"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Png,
    Jpeg,
}

/// By its first bytes. Of what is no regular file nothing is read, because it could not be read again.
pub(super) fn format_of(path: &Path) -> Option<Format> {
    // Opened only then: whoever writes to a pipe sees when its reader goes.
    let is_regular = path != Path::new("-") && path.metadata().is_ok_and(|it| it.is_file());
    let mut first = Vec::new();
    let read = |file: File| file.take(8).read_to_end(&mut first);
    if !is_regular || File::open(path).and_then(read).is_err() {
        return None;
    }
    if first == b"\x89PNG\r\n\x1a\n" {
        return Some(Format::Png);
    }
    first.starts_with(b"\xFF\xD8\xFF").then_some(Format::Jpeg)
}

/// What is said of an image, and the decoder's words behind that, without the names of its own types.
fn undecodable(words: &str) -> String {
    let words = words.split(" while decoding ").next().unwrap_or_default();
    let words = words.trim_matches(|c| matches!(c, '"' | '.' | ' '));
    format!("the image is damaged, or of a kind that is not read ({words})")
}

/// Reads what an image says of itself. The samples of a PNG image come as they are read, those of a JPEG image are
/// decoded at once.
pub(super) fn open(path: &Path, format: Format, memory: Memory) -> Result<Picture, Failure> {
    let opened = match format {
        Format::Jpeg => jpeg::open(path, memory),
        Format::Png => png::open(path, memory),
    };
    opened.map_err(|what| Failure::in_file(&path.display().to_string(), what))
}
