//! Parameters of dispatches, and tables that shaders look up, in buffers that are kept by their contents: a
//! reduction of the same shape finds its own again.

use crate::device::allowance::Held;
use crate::device::context::Context;
#[cfg(not(target_family = "wasm"))]
use crate::device::mapping::unmap;
#[cfg(not(target_family = "wasm"))]
use crate::error::Error;
use crate::error::Result;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The buffers of one device.
#[derive(Debug)]
pub(crate) struct ParameterBuffers {
    usage: wgpu::BufferUsages,
    kept: Mutex<Kept<Held>>,
}

/// When there are more, all are dropped and it begins anew.
const MOST: usize = 1024;

/// Larger ones are not kept: plans with so many dispatches take long anyway. A thousand small inputs
/// reduced together have 36 KiB.
const LARGEST_BYTES: usize = 256 << 10;

/// Nor are more bytes than this kept in all.
const MOST_BYTES: usize = 8 << 20;

impl ParameterBuffers {
    /// None yet.
    pub(crate) fn new(usage: wgpu::BufferUsages) -> Self {
        Self { usage, kept: Mutex::default() }
    }

    /// Forgets what is kept.
    pub(crate) fn clear(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Kept::default();
    }

    /// A buffer with these bytes in it.
    pub(crate) fn get(&self, context: &Context, bytes: Vec<u8>) -> Result<Held> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&bytes);
        if let Some(buffer) = kept {
            return Ok(buffer);
        }
        let buffer = upload(context, &bytes, self.usage)?;
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).put(bytes, &buffer);
        Ok(buffer)
    }
}

const LABEL: &str = "wgpu-reduce parameters";

/// A new buffer with these bytes. Browsers throw where there is no room for one that is mapped from the beginning, and wgpu
/// makes a panic of that.
#[cfg(target_family = "wasm")]
fn upload(context: &Context, bytes: &[u8], usage: wgpu::BufferUsages) -> Result<Held> {
    let (len, usage) = (bytes.len() as u64, usage | wgpu::BufferUsages::COPY_DST);
    let buffer = context.create_buffer(LABEL, len, usage, false)?;
    context.scoped(len, || {
        context.queue.write_buffer(&buffer, 0, bytes);
        Ok(())
    })?;
    Ok(buffer)
}

/// A new buffer with these bytes.
#[cfg(not(target_family = "wasm"))]
fn upload(context: &Context, bytes: &[u8], usage: wgpu::BufferUsages) -> Result<Held> {
    let buffer = context.create_buffer(LABEL, bytes.len() as u64, usage, true)?;
    // The buffer was made, so its memory is mapped unless the device has gone.
    buffer
        .get_mapped_range_mut(..)
        .map_err(|error| Error::DeviceLost { reason: error.to_string() })?
        .copy_from_slice(bytes);
    unmap(context, &buffer)?;
    Ok(buffer)
}

/// Buffers by what is in them.
#[derive(Debug)]
struct Kept<B> {
    by_contents: HashMap<Vec<u8>, B>,
    /// The size of all contents.
    bytes: usize,
}

impl<B> Default for Kept<B> {
    fn default() -> Self {
        Self { by_contents: HashMap::new(), bytes: 0 }
    }
}

impl<B: Clone> Kept<B> {
    fn get(&self, contents: &[u8]) -> Option<B> {
        self.by_contents.get(contents).cloned()
    }

    fn put(&mut self, contents: Vec<u8>, buffer: &B) {
        let bytes = contents.len();
        if bytes > LARGEST_BYTES {
            return;
        }
        if self.by_contents.len() >= MOST || self.bytes + bytes > MOST_BYTES {
            *self = Self::default();
        }
        // Two threads may have made the same.
        if self.by_contents.insert(contents, buffer.clone()).is_none() {
            self.bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_find_their_buffer_and_no_other() {
        let mut kept = Kept::default();
        for (contents, buffer) in [(vec![1, 2], 'a'), (vec![1], 'b'), (vec![], 'c')] {
            assert_eq!(kept.get(&contents), None);
            kept.put(contents.clone(), &buffer);
            assert_eq!(kept.get(&contents), Some(buffer));
        }
        assert_eq!((kept.get(&[1, 2]), kept.get(&[2, 1])), (Some('a'), None));
        // As two threads do that look at the same time: it counts once.
        kept.put(vec![1, 2], &'d');
        assert_eq!((kept.get(&[1, 2]), kept.bytes), (Some('d'), 3));
    }

    #[test]
    fn it_begins_anew_when_there_are_too_many() {
        let mut kept = Kept::default();
        for number in 0..3000_u32 {
            kept.put(number.to_le_bytes().into(), &number);
            assert!(kept.by_contents.len() <= MOST);
            assert_eq!(kept.get(&number.to_le_bytes()), Some(number));
        }
        assert_eq!(kept.get(&0_u32.to_le_bytes()), None);
    }

    #[test]
    fn no_more_bytes_are_kept_than_is_said() {
        let mut kept = Kept::default();
        for number in 0..100_u8 {
            kept.put(vec![number; LARGEST_BYTES], &number);
            let bytes: usize = kept.by_contents.keys().map(Vec::len).sum();
            assert!(bytes == kept.bytes && bytes <= MOST_BYTES, "{bytes} bytes, {}", kept.bytes);
            assert_eq!(kept.get(&vec![number; LARGEST_BYTES]), Some(number));
        }
        kept.put(vec![0; LARGEST_BYTES + 1], &0);
        assert_eq!(kept.get(&vec![0; LARGEST_BYTES + 1]), None);
    }
}
