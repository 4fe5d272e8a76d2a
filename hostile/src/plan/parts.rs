//! Inputs: elements of any number, from anywhere in their buffers.

use crate::take::Bytes;
use wgpu_reduce::Part;

/// Up to three parts of elements of a size. Few of them begin where no element can.
pub(super) fn parts(bytes: &mut Bytes<'_>, size: u64) -> Vec<Part> {
    (0..bytes.byte() % 4).map(|_| part(bytes, size)).collect()
}

pub(super) fn part(bytes: &mut Bytes<'_>, size: u64) -> Part {
    let offset = offset(bytes, size);
    Part { offset_bytes: offset, len: bytes.scaled() }
}

/// A place in a buffer, mostly one that an element of a size can have.
pub(super) fn offset(bytes: &mut Bytes<'_>, size: u64) -> u64 {
    let offset = bytes.scaled();
    if bytes.byte() % 32 == 31 { offset } else { offset / size * size }
}

/// As many elements as `first` has, cut elsewhere; now and then others.
pub(super) fn partner(bytes: &mut Bytes<'_>, first: &[Part], size: u64) -> Vec<Part> {
    let total = first.iter().fold(0_u64, |sum, part| sum.saturating_add(part.len));
    if bytes.byte() % 32 == 31 {
        return parts(bytes, size);
    }
    let cut = bytes.scaled().min(total);
    let lengths = if cut > 0 { vec![cut, total - cut] } else { vec![total] };
    lengths.into_iter().map(|len| Part { offset_bytes: offset(bytes, size), len }).collect()
}
