//! Copies of many bytes into memory that is mapped.

use crate::op::shares::{by_threads, threads_for};
use std::convert::Infallible;
use std::iter::zip;
use std::num::NonZero;

/// Bytes that a thread copies at a time.
const SHARE_BYTES: usize = 64 << 10;

/// Copies `bytes` to a target of the same length, by several threads where they are many.
///
/// wgpu asks for memory of the device that the host can map, and takes the host's where there is none. Writes to the device's cross
/// the bus as they are made, and one thread makes too few to fill it.
pub(crate) fn copy(bytes: &[u8], mut target: wgpu::WriteOnly<'_, [u8]>) {
    let threads = threads_for(bytes.len());
    if threads < 2 {
        return target.copy_from_slice(bytes);
    }
    let (targets, mut rest) = target.into_chunks::<SHARE_BYTES>();
    let shares = bytes.chunks_exact(SHARE_BYTES);
    rest.copy_from_slice(shares.remainder());
    // Arrays may go to other threads; slices of wgpu's may not.
    let shares: Vec<_> = zip(targets, shares).collect();
    let copy = |(target, share)| -> Result<(), (usize, Infallible)> {
        wgpu::WriteOnly::<[u8]>::from(target).copy_from_slice(share);
        Ok(())
    };
    by_threads(threads, shares.into_iter(), copy).unwrap_or_else(|(_, never)| match never {});
}

/// As [`wgpu::Queue::write_buffer`], by [`copy`].
pub(crate) fn write_buffer(
    queue: &wgpu::Queue,
    buffer: &wgpu::Buffer,
    offset_bytes: u64,
    bytes: &[u8],
) {
    match NonZero::new(bytes.len() as u64).filter(|_| threads_for(bytes.len()) > 1) {
        Some(len) => {
            // Where there is none, an error scope has been told.
            if let Some(mut view) = queue.write_buffer_with(buffer, offset_bytes, len) {
                copy(bytes, view.slice(..));
            }
        }
        None => queue.write_buffer(buffer, offset_bytes, bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_are_copied_wherever_they_begin() {
        let bytes: Vec<u8> = (0..9_000_013_u32).map(|at| (at % 251) as u8).collect();
        for len in [0, 1, SHARE_BYTES, (2 << 20) - 1, 2 << 20, (4 << 20) + 7, 8_999_000] {
            for first in [0, 1, 13] {
                let mut copied = vec![0; len];
                copy(&bytes[first..first + len], wgpu::WriteOnly::from_mut(&mut copied[..]));
                assert!(copied == bytes[first..first + len], "{len} from {first}");
            }
        }
    }
}
