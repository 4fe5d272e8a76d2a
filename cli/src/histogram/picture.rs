//! Images, as their samples.

use crate::failure::Failure;
use image::{DynamicImage, ImageFormat, ImageReader};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Samples, and what those of a pixel are, in their order.
pub(super) struct Picture {
    pub(super) names: &'static [&'static str],
    pub(super) samples: Samples,
}

pub(super) enum Samples {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

const GREY: &[&str] = &["grey"];
const GREY_ALPHA: &[&str] = &["grey", "alpha"];
const RGB: &[&str] = &["red", "green", "blue"];
const RGBA: &[&str] = &["red", "green", "blue", "alpha"];

/// Whether it is a PNG or JPEG file, by its first bytes. Of what is no regular file nothing is read, because it could
/// not be read again.
pub(super) fn is_one(path: &Path) -> bool {
    // Opened only then: whoever writes to a pipe sees when its reader goes.
    let is_regular = path != Path::new("-") && path.metadata().is_ok_and(|it| it.is_file());
    let mut first = Vec::new();
    let read = |file: File| file.take(16).read_to_end(&mut first);
    if !is_regular || File::open(path).and_then(read).is_err() {
        return false;
    }
    matches!(image::guess_format(&first), Ok(ImageFormat::Png | ImageFormat::Jpeg))
}

pub(super) fn open(path: &Path) -> Result<Picture, Failure> {
    let in_file = |what: String| Failure::in_file(&path.display().to_string(), what);
    let reader = ImageReader::open(path).and_then(ImageReader::with_guessed_format);
    let image = reader.map_err(|error| in_file(error.to_string()))?.decode();
    let (names, samples) = match image.map_err(|error| in_file(error.to_string()))? {
        DynamicImage::ImageLuma8(image) => (GREY, Samples::Bytes(image.into_raw())),
        DynamicImage::ImageLumaA8(image) => (GREY_ALPHA, Samples::Bytes(image.into_raw())),
        DynamicImage::ImageRgb8(image) => (RGB, Samples::Bytes(image.into_raw())),
        DynamicImage::ImageRgba8(image) => (RGBA, Samples::Bytes(image.into_raw())),
        DynamicImage::ImageLuma16(image) => (GREY, Samples::Words(image.into_raw())),
        DynamicImage::ImageLumaA16(image) => (GREY_ALPHA, Samples::Words(image.into_raw())),
        DynamicImage::ImageRgb16(image) => (RGB, Samples::Words(image.into_raw())),
        DynamicImage::ImageRgba16(image) => (RGBA, Samples::Words(image.into_raw())),
        _ => return Err(in_file("its samples have neither 8 nor 16 bits".into())),
    };
    Ok(Picture { names, samples })
}
