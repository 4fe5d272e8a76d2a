//! JPEG images, which are decoded as a whole.

use super::{GREY, Picture, RGB};
use crate::input::Input;
use crate::memory;
use crate::stream::Memory;
use std::fs::File;
use std::io::{BufReader, Cursor};
use std::path::Path;
use wgpu_reduce::ElementKind;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// The samples of an image may take so much, or what --memory says if that is more.
const LEAST_BYTES: u64 = 512 << 20;

/// The format has no more.
const MOST_PIXELS_OF_A_SIDE: usize = u16::MAX as usize;

pub(super) fn open(path: &Path, allowed: Memory) -> Result<Picture, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(MOST_PIXELS_OF_A_SIDE)
        .set_max_height(MOST_PIXELS_OF_A_SIDE);
    let mut decoder = JpegDecoder::new_with_options(BufReader::new(file), options);
    decoder.decode_headers().map_err(|error| told(&error))?;
    let unknown = || "it does not say what its colours are".to_owned();
    let colours = decoder.input_colorspace().ok_or_else(unknown)?;
    let (width, height) = decoder.dimensions().ok_or_else(unknown)?;
    let (names, converted) = match colours {
        ColorSpace::Luma => (GREY, ColorSpace::Luma),
        _ => (RGB, ColorSpace::RGB),
    };
    let samples = width as u64 * height as u64 * names.len() as u64;
    if samples > allowed.bytes().max(LEAST_BYTES) {
        return Err(format!(
            "its {width} × {height} pixels take {samples} bytes, because JPEG images are decoded as a whole: give as \
             much --memory, or make a PNG image of it"
        ));
    }
    memory::check(samples).map_err(|error| error.to_string())?;
    decoder.set_options(options.jpeg_set_out_colorspace(converted));
    let bytes = decoder.decode().map_err(|error| told(&error))?;
    let name = path.display().to_string();
    let bytes = Box::new(Cursor::new(bytes));
    let samples = Input::of_samples(name, bytes, ElementKind::U8, samples);
    let converted_from = matches!(colours, ColorSpace::CMYK | ColorSpace::YCCK).then_some(INKS);
    Ok(Picture { names, samples, converted_from })
}

/// What colours of printers are.
const INKS: &str = "the inks cyan, magenta, yellow and black";

fn told(error: &DecodeErrors) -> String {
    format!("the image cannot be decoded: {error:?}")
}
