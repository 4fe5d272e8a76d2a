//! PNG images, row by row.

use super::{GREY, GREY_ALPHA, Picture, RGB, RGBA, undecodable};
use crate::input::Input;
use crate::memory;
use crate::stream::Memory;
use png::{BitDepth, ColorType, Decoder, DecodingError, Info, Limits, Reader, Transformations};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;
use wgpu_reduce::ElementKind;

/// A row, and what the decoder keeps beside it, may take so much in any case.
const LEAST_BYTES: u64 = 16 << 20;

pub(super) fn open(path: &Path, memory: Memory) -> Result<Picture, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let most = memory.bytes().max(LEAST_BYTES);
    let rows = Rows::new(BufReader::with_capacity(1 << 20, file), most)?;
    let (names, element, samples) = rows.samples()?;
    let name = path.display().to_string();
    // Samples of 16 bits have the high byte first.
    let samples = Input::of_samples(name, Box::new(rows), element, samples);
    Ok(Picture { names, samples, converted_from: None })
}

/// The bytes of all samples. Rows of interlaced images come pass by pass, which no histogram sees.
struct Rows<R: BufRead + Seek> {
    reader: Reader<R>,
    row: Vec<u8>,
    /// Bytes of the row that have been read.
    used: usize,
    /// Bytes of the image that have not been read.
    left: u64,
    most: u64,
}

impl<R: BufRead + Seek> Rows<R> {
    /// Reads up to the first row. The decoder takes no more than so many bytes of memory.
    fn new(bytes: R, most: u64) -> Result<Self, String> {
        let limits = Limits { bytes: usize::try_from(most).unwrap_or(usize::MAX) };
        let mut decoder = Decoder::new_with_limits(bytes, limits);
        // A palette gives its colours, and samples of fewer than 8 bits come as 8.
        decoder.set_transformations(Transformations::EXPAND);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let info = decoder.read_header_info().map_err(|error| told(&error, most))?;
        let [stored, expanded] = bytes_of_row(info);
        if stored > most {
            return Err(told(&DecodingError::LimitsExceeded, most));
        }
        let bytes = stored.saturating_mul(STORED_ROWS).saturating_add(expanded.saturating_mul(2));
        memory::check(bytes).map_err(|error| error.to_string())?;
        let reader = decoder.read_info().map_err(|error| told(&error, most))?;
        let mut rows = Self { reader, row: Vec::new(), used: 0, left: 0, most };
        let (_, element, samples) = rows.samples()?;
        rows.left = samples.saturating_mul(element.size_bytes());
        Ok(rows)
    }

    /// What the samples of a pixel are, of which type, and how many there are in all.
    fn samples(&self) -> Result<(&'static [&'static str], ElementKind, u64), String> {
        let (colour, depth) = self.reader.output_color_type();
        let names = match colour {
            ColorType::Grayscale => GREY,
            ColorType::GrayscaleAlpha => GREY_ALPHA,
            ColorType::Rgb => RGB,
            ColorType::Rgba => RGBA,
            ColorType::Indexed => return Err("it has a palette without colours".into()),
        };
        let element = match depth {
            BitDepth::Sixteen => ElementKind::U16,
            _ => ElementKind::U8,
        };
        let info = self.reader.info();
        let pixels = u64::from(info.width) * u64::from(info.height);
        Ok((names, element, pixels.saturating_mul(names.len() as u64)))
    }

    /// The next row that has a sample, if there is one.
    fn next_row(&mut self) -> Result<bool, String> {
        let most = self.most;
        (self.used, self.row) = (0, std::mem::take(&mut self.row));
        self.row.clear();
        while let Some(row) =
            self.reader.next_interlaced_row().map_err(|error| told(&error, most))?
        {
            memory::keep(&mut self.row, row.data()).map_err(|error| error.to_string())?;
            if !self.row.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Bytes of a row as it is stored, and at most as it comes.
fn bytes_of_row(info: &Info<'_>) -> [u64; 2] {
    let sample_bytes = if info.bit_depth == BitDepth::Sixteen { 2 } else { 1 };
    let samples = u64::from(info.width).saturating_mul(RGBA.len() as u64);
    [info.raw_row_length() as u64, samples.saturating_mul(sample_bytes)]
}

/// Stored rows that the decoder has at a time: it moves them once four are behind it. The one that comes is there twice.
const STORED_ROWS: u64 = 6;

impl<R: BufRead + Seek> Read for Rows<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let is_used = self.used == self.row.len();
        let damaged = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        if is_used && !self.next_row().map_err(damaged)? {
            return Ok(0);
        }
        let rest = self.row.get(self.used..).unwrap_or_default();
        let count = rest.len().min(target.len());
        if let (Some(target), Some(rest)) = (target.get_mut(..count), rest.get(..count)) {
            target.copy_from_slice(rest);
        }
        self.used += count;
        self.left = self.left.saturating_sub(count as u64);
        if self.left == 0 {
            // Behind the last row are the sums that tell of damage.
            self.next_row().map_err(damaged)?;
        }
        Ok(count)
    }
}

/// What is wrong, in the words of who has the image.
fn told(error: &DecodingError, most: u64) -> String {
    match error {
        DecodingError::LimitsExceeded => {
            format!("a row of it takes more than {most} bytes: give more --memory")
        }
        DecodingError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            "the image is truncated".into()
        }
        error => undecodable(&error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::Rows;
    use png::{BitDepth, ColorType, Encoder};
    use std::io::{Cursor, Read as _};
    use wgpu_reduce::ElementKind;

    /// An image of which only the first rows are there.
    fn beginning(width: u32, height: u32, rows: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Sixteen);
        let mut writer = encoder.write_header().unwrap();
        let mut stream = writer.stream_writer().unwrap();
        let row = vec![7; width as usize * 6];
        for _ in 0..rows {
            std::io::Write::write_all(&mut stream, &row).unwrap();
        }
        drop(stream.finish());
        drop(writer);
        bytes
    }

    /// Images of 102 and more megapixels are read in a small part of the memory that they take.
    #[test]
    fn images_of_any_height_are_read_row_by_row() {
        let bytes = beginning(11_000, 1_000_000, 3);
        let mut rows = Rows::new(Cursor::new(&bytes), 1 << 20).unwrap();
        let (names, element, samples) = rows.samples().unwrap();
        assert_eq!((names.len(), element, samples), (3, ElementKind::U16, 33_000_000_000));
        let mut first = vec![0; 3 * 66_000];
        rows.read_exact(&mut first).unwrap();
        assert!(first.iter().all(|&byte| byte == 7));
        assert!(rows.read_to_end(&mut first).is_err());
        let wide = beginning(1 << 20, 1 << 20, 1);
        let error = Rows::new(Cursor::new(&wide), 1 << 20).err();
        let error = error.or_else(|| {
            let mut rows = Rows::new(Cursor::new(&wide), 1 << 20).ok()?;
            rows.read(&mut [0]).err().map(|error| error.to_string())
        });
        let what = "a row of it takes more than 1048576 bytes: give more --memory";
        assert_eq!(error.as_deref(), Some(what));
    }
}
