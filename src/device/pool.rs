//! Buffers, kept for the next call: making one costs more than a small reduction.

use crate::device::allowance::Held;
use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::plan::cut::window::WORD_BYTES;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Buffers of one usage that nobody uses.
#[derive(Debug)]
pub(crate) struct Pool {
    label: &'static str,
    usage: wgpu::BufferUsages,
    shelf: Mutex<Shelf<Held>>,
    largest_bytes: u64,
}

/// No buffer is smaller. Sizes are powers of two, and of larger ones multiples of [`LARGEST_BYTES`].
const SMALLEST_BYTES: u64 = 64;

/// Larger buffers of most pools are not kept, and of each size no more than this many bytes are.
const LARGEST_BYTES: u64 = 16 << 20;

/// Larger buffers that the host reads are kept: to make them takes longer than their results' way (`benches/RESULTS.md`, many results).
const LARGEST_READ_BYTES: u64 =
    if cfg!(target_family = "wasm") { LARGEST_BYTES } else { 512 << 20 };

/// As many small buffers are kept as may be in flight.
const MOST: usize = 1024;

/// A pool keeps no more than this in all sizes together, beside one of the largest.
const MOST_BYTES: u64 = 112 << 20;

impl Pool {
    /// So many of a size rest before one is used again, so that calls in flight do not wait for each
    /// other's.
    pub(crate) fn new(label: &'static str, usage: wgpu::BufferUsages, resting: usize) -> Self {
        Self::keeping(LARGEST_BYTES, label, usage, resting)
    }

    /// For what the host reads.
    pub(crate) fn for_reading(label: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self::keeping(LARGEST_READ_BYTES, label, usage, 0)
    }

    fn keeping(
        largest_bytes: u64,
        label: &'static str,
        usage: wgpu::BufferUsages,
        resting: usize,
    ) -> Self {
        let shelf = Mutex::new(Shelf::new(resting, largest_bytes));
        Self { label, usage, shelf, largest_bytes }
    }

    /// A buffer of at least `bytes`, with anything in it.
    pub(crate) fn take(&self, context: &Context, bytes: u64) -> Result<Held> {
        let size = size_for(bytes, self.largest_bytes);
        #[cfg(test)]
        let size = size + crate::tests::overreads::room_behind(context);
        #[cfg(test)]
        let size = size_for(size, self.largest_bytes);
        let kept = self.shelf.lock().unwrap_or_else(PoisonError::into_inner).take(size);
        match kept {
            Some(buffer) => Ok(buffer),
            None => self.create(context, bytes, size),
        }
    }

    /// A buffer of `size` bytes, or if there is no room for one, of `bytes` that are many.
    fn create(&self, context: &Context, bytes: u64, size: u64) -> Result<Held> {
        let create = |size| context.create_buffer(self.label, size, self.usage, false);
        create(size).or_else(|error| match error {
            Error::BufferTooLarge { .. } | Error::OutOfMemory { .. } if bytes > LARGEST_BYTES => {
                context.forget_buffers();
                create(bytes.next_multiple_of(WORD_BYTES))
            }
            error => Err(error),
        })
    }

    /// Forgets what is kept.
    pub(crate) fn clear(&self) {
        let mut kept = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Shelf::new(kept.resting, kept.largest_bytes);
    }

    /// Takes back a buffer that is not mapped. The GPU may still use it: what is submitted later
    /// runs later.
    pub(crate) fn give(&self, buffer: Held) {
        let size = buffer.size();
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner).give(size, buffer);
    }
}

/// The size of a buffer of at least `bytes`.
fn size_for(bytes: u64, largest_bytes: u64) -> u64 {
    if bytes > largest_bytes {
        return bytes;
    }
    if bytes > LARGEST_BYTES {
        return bytes.next_multiple_of(LARGEST_BYTES);
    }
    bytes.next_power_of_two().max(SMALLEST_BYTES)
}

/// What is kept, by size, the longest unused first.
#[derive(Debug)]
struct Shelf<B> {
    resting: usize,
    largest_bytes: u64,
    by_size: HashMap<u64, VecDeque<B>>,
    /// The size of all that is kept.
    bytes: u64,
}

impl<B> Shelf<B> {
    fn new(resting: usize, largest_bytes: u64) -> Self {
        Self { resting, largest_bytes, by_size: HashMap::new(), bytes: 0 }
    }

    fn take(&mut self, size: u64) -> Option<B> {
        let kept = self.by_size.get_mut(&size).filter(|kept| kept.len() > self.resting);
        let taken = kept.and_then(VecDeque::pop_front);
        self.bytes -= if taken.is_some() { size } else { 0 };
        taken
    }

    fn give(&mut self, size: u64, buffer: B) {
        if size > self.largest_bytes || size != size_for(size, self.largest_bytes) {
            return;
        }
        let kept = self.by_size.entry(size).or_default();
        let most = usize::try_from(LARGEST_BYTES / size.max(1)).unwrap_or(MOST).min(MOST);
        if kept.len() < most.max(self.resting + 1) {
            kept.push_back(buffer);
            self.bytes += size;
        }
        while self.bytes > self.largest_bytes + MOST_BYTES && self.drop_one() {}
    }

    /// Forgets the longest unused of the size that has the most bytes. Whether there was one.
    fn drop_one(&mut self) -> bool {
        let bytes = |(size, kept): &(&u64, &mut VecDeque<B>)| **size * kept.len() as u64;
        let largest = self.by_size.iter_mut().max_by_key(bytes);
        let dropped = largest.and_then(|(&size, kept)| kept.pop_front().map(|_| size));
        self.bytes -= dropped.unwrap_or(0);
        dropped.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(resting: usize) -> Shelf<u32> {
        Shelf::new(resting, LARGEST_BYTES)
    }

    #[test]
    fn sizes_are_powers_of_two_as_far_as_buffers_are_kept() {
        for (bytes, size) in [(0, 64), (1, 64), (64, 64), (65, 128), (4096, 4096), (4097, 8192)] {
            assert_eq!(size_for(bytes, LARGEST_BYTES), size, "{bytes}");
        }
        assert_eq!(size_for(LARGEST_BYTES + 4, LARGEST_READ_BYTES), 2 * LARGEST_BYTES);
        for largest in [LARGEST_BYTES, LARGEST_READ_BYTES] {
            assert_eq!(size_for(largest, largest), largest);
            assert_eq!(size_for(largest + 4, largest), largest + 4);
        }
    }

    #[test]
    fn the_longest_unused_of_a_size_is_taken_when_enough_rest() {
        let mut shelf = shelf(2);
        for buffer in 0..4 {
            assert_eq!(shelf.take(64), None, "{buffer} given");
            shelf.give(if buffer < 3 { 64 } else { 128 }, buffer);
            if buffer == 2 {
                assert_eq!(shelf.take(64), Some(0));
            }
        }
        assert_eq!((shelf.take(64), shelf.take(128)), (None, None));
        shelf.give(64, 0);
        assert_eq!(shelf.take(64), Some(1));
    }

    #[test]
    fn no_more_is_kept_than_is_said() {
        for (resting, size, most) in [
            (0, 64, MOST),
            (0, 1 << 20, 16),
            (0, LARGEST_BYTES, 1),
            // One beyond those that rest, or none could ever be taken.
            (3, LARGEST_BYTES, 4),
            (0, 2 * LARGEST_BYTES, 0),
        ] {
            let mut shelf = shelf(resting);
            (0..2 * 1024).for_each(|buffer| shelf.give(size, buffer));
            let kept = shelf.by_size.get(&size).map_or(0, VecDeque::len);
            assert_eq!(kept, most, "of {size} bytes, {resting} resting");
        }
    }

    #[test]
    fn one_large_buffer_for_reading_is_kept() {
        let mut shelf = Shelf::new(0, LARGEST_READ_BYTES);
        (0..3).for_each(|buffer| shelf.give(LARGEST_READ_BYTES, buffer));
        (0..8).for_each(|buffer| shelf.give(LARGEST_BYTES, buffer));
        assert_eq!(shelf.take(LARGEST_READ_BYTES), Some(0));
        assert_eq!(shelf.take(LARGEST_READ_BYTES), None);
        shelf.give(2 * LARGEST_READ_BYTES, 9);
        assert_eq!(shelf.take(2 * LARGEST_READ_BYTES), None);
    }

    #[test]
    fn all_sizes_together_have_a_limit_too() {
        let mut shelf = shelf(2);
        for size in (6..=24).map(|log2| 1 << log2) {
            (0..2 * 1024).for_each(|buffer| shelf.give(size, buffer));
            let kept = shelf.by_size.iter().map(|(size, kept)| size * kept.len() as u64);
            assert_eq!(kept.sum::<u64>(), shelf.bytes);
            assert!(
                shelf.bytes <= LARGEST_BYTES + MOST_BYTES,
                "{} bytes after {size}",
                shelf.bytes
            );
        }
        // The limit was reached, and small ones, which are little of it, stayed.
        assert!(shelf.bytes > MOST_BYTES / 2);
        assert_eq!(shelf.by_size[&64].len(), MOST);
        // What is taken counts no more.
        let before = shelf.bytes;
        assert!(shelf.take(64).is_some());
        assert_eq!(shelf.bytes, before - 64);
    }
}
