//! JPEG images, which are decoded as a whole.

use super::{GREY, Picture, RGB, undecodable};
use crate::input::Input;
use crate::memory;
use crate::stream::Memory;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read as _, Seek};
use std::path::Path;
use wgpu_reduce::ElementKind;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;
use zune_jpeg::{ImageInfo, JpegDecoder};

/// An image may take so much, or what --memory says if that is more.
const LEAST_BYTES: u64 = 512 << 20;

/// The format has no more.
const MOST_PIXELS_OF_A_SIDE: usize = u16::MAX as usize;

pub(super) fn open(path: &Path, allowed: Memory) -> Result<Picture, String> {
    let mut file = BufReader::new(File::open(path).map_err(|error| error.to_string())?);
    if !has_end(&mut file).map_err(|error| error.to_string())? {
        return Err("the image ends early: the file has no end-of-image marker".into());
    }
    file.rewind().map_err(|error| error.to_string())?;
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(MOST_PIXELS_OF_A_SIDE)
        .set_max_height(MOST_PIXELS_OF_A_SIDE);
    let mut decoder = JpegDecoder::new_with_options(file, options);
    decoder.decode_headers().map_err(|error| told(&error))?;
    let unknown = || "it does not say what its colours are".to_owned();
    let colours = decoder.input_colorspace().ok_or_else(unknown)?;
    let (width, height) = decoder.dimensions().ok_or_else(unknown)?;
    let (names, converted) = match colours {
        ColorSpace::Luma => (GREY, ColorSpace::Luma),
        _ => (RGB, ColorSpace::RGB),
    };
    let samples = width as u64 * height as u64 * names.len() as u64;
    let image = decoder.info().ok_or_else(unknown)?;
    let bytes = samples + bytes_of_coefficients(&image);
    if bytes > allowed.bytes().max(LEAST_BYTES) {
        return Err(format!(
            "its {width} × {height} pixels take {bytes} bytes, because JPEG images are decoded as a whole: give as \
             much --memory, or make a PNG image of it"
        ));
    }
    memory::check(bytes).map_err(|error| error.to_string())?;
    decoder.set_options(options.jpeg_set_out_colorspace(converted));
    let len = usize::try_from(samples).unwrap_or(usize::MAX);
    let mut pixels = memory::filled(0, len).map_err(|error| error.to_string())?;
    decoder.decode_into(&mut pixels).map_err(|error| told(&error))?;
    let name = path.display().to_string();
    let bytes = Box::new(Cursor::new(pixels));
    let samples = Input::of_samples(name, bytes, ElementKind::U8, samples);
    let converted_from = matches!(colours, ColorSpace::CMYK | ColorSpace::YCCK).then_some(INKS);
    Ok(Picture { names, samples, converted_from })
}

/// Bytes of what the decoder keeps of all scans of a progressive image beside the samples.
fn bytes_of_coefficients(image: &ImageInfo) -> u64 {
    if !image.sof.is_progressive() {
        return 0;
    }
    let [width, height, components] =
        [image.width, image.height, image.components.into()].map(u64::from);
    width * height * components * size_of::<i16>() as u64
}

/// Returns whether an end-of-image marker follows the scans. The decoder takes a file without one, and its strict mode refuses
/// files that other programs read.
fn has_end(mut file: impl BufRead + Seek) -> io::Result<bool> {
    loop {
        // The samples of a scan lie between two markers.
        file.skip_until(FILL)?;
        let code = file.by_ref().bytes().find(|byte| !matches!(byte, Ok(FILL)));
        match code.transpose()? {
            None => return Ok(false),
            Some(END) => return Ok(true),
            // An escaped byte, or a marker without a segment.
            Some(0x00 | 0x01 | 0xD0..=START) => {}
            // A thumbnail has an end of its own within its segment.
            Some(_) => {
                let mut length = [0; 2];
                match file.read_exact(&mut length) {
                    Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
                    read => read?,
                }
                let rest = i64::from(u16::from_be_bytes(length)) - 2;
                file.seek_relative(rest.max(0))?;
            }
        }
    }
}

/// The first byte of each marker, which may be repeated.
const FILL: u8 = 0xFF;

/// The markers of an image's start and its end.
const START: u8 = 0xD8;
const END: u8 = 0xD9;

/// What colours of printers are.
const INKS: &str = "the inks cyan, magenta, yellow and black";

fn told(error: &DecodeErrors) -> String {
    undecodable(&error.to_string())
}

#[cfg(test)]
mod tests {
    use super::has_end;
    use std::io::Cursor;

    #[test]
    fn an_end_counts_behind_the_scans_alone() {
        let start = b"\xFF\xD8\xFF\xE1\x00\x06\xFF\xD8\xFF\xD9".to_vec();
        let scan = b"\xFF\xDA\x00\x03\x01\x55\xFF\x00\xD9\xFF\xD0\x77".to_vec();
        let end = b"\xFF\xFF\xD9".to_vec();
        let whole = [start, scan.clone(), scan, end].concat();
        for len in 0..whole.len() {
            assert!(!has_end(&mut Cursor::new(&whole[..len])).unwrap(), "{len} bytes");
        }
        assert!(has_end(&mut Cursor::new(&whole)).unwrap());
        let with_more = [&whole[..], b"more"].concat();
        assert!(has_end(&mut Cursor::new(with_more)).unwrap());
    }
}
