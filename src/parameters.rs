//! Parameters of dispatches, in uniform buffers that are kept by their contents: a reduction of the
//! same shape finds its own again.

use crate::context::Context;
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The buffers of one device.
#[derive(Debug, Default)]
pub(crate) struct ParameterBuffers {
    kept: Mutex<HashMap<Vec<u8>, wgpu::Buffer>>,
}

/// When there are more, all are dropped and it begins anew.
const MOST: usize = 1024;

/// Larger ones are not kept: plans with so many dispatches take long anyway. A thousand small inputs
/// reduced together have 36 KiB.
const LARGEST_BYTES: usize = 256 << 10;

/// Nor are more bytes than this kept in all.
const MOST_BYTES: usize = 8 << 20;

impl ParameterBuffers {
    /// A uniform buffer with these bytes in it.
    pub(crate) fn get(&self, context: &Context, bytes: Vec<u8>) -> Result<wgpu::Buffer> {
        let kept = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.get(&bytes).cloned()
        };
        if let Some(buffer) = kept {
            return Ok(buffer);
        }
        let buffer = upload(context, &bytes)?;
        if bytes.len() <= LARGEST_BYTES {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() >= MOST || kept.keys().map(Vec::len).sum::<usize>() > MOST_BYTES {
                kept.clear();
            }
            kept.insert(bytes, buffer.clone());
        }
        Ok(buffer)
    }
}

fn upload(context: &Context, bytes: &[u8]) -> Result<wgpu::Buffer> {
    let usage = wgpu::BufferUsages::UNIFORM;
    let buffer =
        context.create_buffer("wgpu-reduce parameters", bytes.len() as u64, usage, true)?;
    // The buffer was made, so its memory is mapped unless the device has gone.
    buffer
        .get_mapped_range_mut(..)
        .map_err(|error| Error::DeviceLost { reason: error.to_string() })?
        .copy_from_slice(bytes);
    buffer.unmap();
    Ok(buffer)
}
