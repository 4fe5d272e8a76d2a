//! Elements from a file or from standard input.

mod npy;
mod screen;
mod source;

use crate::args::Format;
use crate::failure::Failure;
use crate::progress;
use source::{Source, read_fully};
use std::io::Read;
use std::path::Path;
use wgpu_reduce::ElementKind;

/// Bytes of an element of any type.
const ELEMENT_BYTES: u64 = 4;

/// Elements that are on the host at a time: 16 MiB of them.
const CHUNK: usize = 4 << 20;

/// Elements that are known to be there and have yet to be read.
pub(crate) struct Input {
    name: String,
    bytes: Box<dyn Read>,
    layout: Layout,
}

/// What a file holds.
#[derive(Debug, PartialEq, Eq)]
struct Layout {
    element: ElementKind,
    elements: u64,
    /// Where the first element starts.
    data_start: u64,
}

impl Input {
    /// Opens a file, or standard input for `-`, and checks that its length is right.
    ///
    /// A regular file's length is known; anything else is read to its end and held, with memory for
    /// no more than what came.
    pub(crate) fn open(
        path: &Path,
        format: Option<Format>,
        dtype: Option<ElementKind>,
    ) -> Result<Self, Failure> {
        let mut source = Source::open(path)?;
        let name = source.name.clone();
        let in_file = |what: String| Failure::in_file(&name, what);
        let is_npy = match format {
            Some(format) => format == Format::Npy,
            None => {
                path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
                    || source.starts_with(npy::MAGIC).map_err(in_file)?
            }
        };
        let layout = if is_npy {
            npy_layout(&mut source, dtype).map_err(in_file)?
        } else {
            let element = dtype.ok_or_else(|| {
                let needed = format!("{name}: a raw file needs --dtype, one of f32, i32 and u32");
                Failure::Usage(needed)
            })?;
            raw_layout(&mut source, element).map_err(in_file)?
        };
        Ok(Self { name, bytes: source.bytes, layout })
    }

    pub(crate) fn element(&self) -> ElementKind {
        self.layout.element
    }

    pub(crate) fn elements(&self) -> u64 {
        self.layout.elements
    }

    /// Reads everything, and hands it over in pieces, each with the index of its first element.
    pub(crate) fn for_each_chunk<T: bytemuck::Pod>(
        mut self,
        mut take: impl FnMut(u64, &[T]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Layout { elements, data_start, .. } = self.layout;
        let bar = progress::bar(elements * ELEMENT_BYTES);
        let mut words = vec![0_u32; usize::try_from(elements).unwrap_or(CHUNK).min(CHUNK)];
        let mut first = 0;
        while first < elements {
            words.truncate(usize::try_from(elements - first).unwrap_or(CHUNK));
            let bytes = bytemuck::cast_slice_mut(&mut words);
            let read = read_fully(&mut self.bytes, bytes)
                .map_err(|error| Failure::in_file(&self.name, error))?;
            if read < bytes.len() {
                let end = data_start + first * ELEMENT_BYTES + read as u64;
                let what = format!("truncated at byte {end} while it was read");
                return Err(Failure::in_file(&self.name, what));
            }
            for word in &mut words {
                *word = u32::from_le(*word);
            }
            take(first, bytemuck::cast_slice(&words))?;
            first += words.len() as u64;
            bar.inc(read as u64);
        }
        bar.finish_and_clear();
        Ok(())
    }
}

/// Reads the header and checks that the data it promises is there, and nothing after it.
fn npy_layout(source: &mut Source, dtype: Option<ElementKind>) -> Result<Layout, String> {
    let layout = npy::read_header(&mut source.bytes)?;
    let Layout { element, elements, data_start } = layout;
    if let Some(dtype) = dtype.filter(|&dtype| dtype != element) {
        return Err(format!("it holds {element} elements, not {dtype} as --dtype says"));
    }
    let promised = elements * ELEMENT_BYTES;
    let end = data_start + promised;
    let present = source.bytes_from(data_start, promised + 1)?;
    if present < promised {
        return Err(format!(
            "truncated at byte {}: the header promises {promised} bytes of data from byte \
             {data_start} on",
            data_start + present
        ));
    }
    match present - promised {
        0 => Ok(layout),
        extra if source.is_regular() => Err(format!("{extra} bytes too many from byte {end} on")),
        _ => Err(format!("bytes too many from byte {end} on")),
    }
}

fn raw_layout(source: &mut Source, element: ElementKind) -> Result<Layout, String> {
    let bytes = source.bytes_from(0, u64::MAX)?;
    let incomplete = bytes % ELEMENT_BYTES;
    if incomplete > 0 {
        return Err(format!(
            "the element at byte {} is incomplete: {bytes} bytes are not a multiple of \
             {ELEMENT_BYTES}",
            bytes - incomplete
        ));
    }
    Ok(Layout { element, elements: bytes / ELEMENT_BYTES, data_start: 0 })
}

#[cfg(test)]
mod tests;
