//! Small buffers, kept for the next call: making one costs more than a small reduction.

use crate::context::Context;
use crate::error::Result;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Buffers of one usage that nobody uses, by size.
#[derive(Debug)]
pub(crate) struct Pool {
    label: &'static str,
    usage: wgpu::BufferUsages,
    /// So many of a size rest before one is used again, so that calls in flight do not wait for each
    /// other's.
    resting: usize,
    free: Mutex<HashMap<u64, VecDeque<wgpu::Buffer>>>,
}

/// No buffer is smaller; sizes are powers of two.
const SMALLEST_BYTES: u64 = 64;

/// Larger buffers are not kept, and of each size no more than this many bytes are.
const LARGEST_BYTES: u64 = 16 << 20;

/// Of small ones as many are kept as may be in flight.
const MOST: usize = 1024;

impl Pool {
    pub(crate) fn new(label: &'static str, usage: wgpu::BufferUsages, resting: usize) -> Self {
        Self { label, usage, resting, free: Mutex::default() }
    }

    /// A buffer of at least `bytes`, with anything in it.
    pub(crate) fn take(&self, context: &Context, bytes: u64) -> Result<wgpu::Buffer> {
        if bytes > LARGEST_BYTES {
            return context.create_buffer(self.label, bytes, self.usage, false);
        }
        let class = bytes.next_power_of_two().max(SMALLEST_BYTES);
        let kept = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = free.get_mut(&class).filter(|kept| kept.len() > self.resting);
            kept.and_then(VecDeque::pop_front)
        };
        match kept {
            Some(buffer) => Ok(buffer),
            None => context.create_buffer(self.label, class, self.usage, false),
        }
    }

    /// Takes back a buffer that is not mapped. The GPU may still use it: what is submitted later
    /// runs later.
    pub(crate) fn give(&self, buffer: wgpu::Buffer) {
        let bytes = buffer.size();
        if bytes > LARGEST_BYTES {
            return;
        }
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = free.entry(bytes).or_default();
        let most = usize::try_from(LARGEST_BYTES / bytes).unwrap_or(MOST).min(MOST);
        if kept.len() < most.max(self.resting + 1) {
            kept.push_back(buffer);
        }
    }
}
