//! Cutting a range of elements into windows that a binding can cover.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::limits::end_of;
use crate::plan::recording::WindowParameters;
use std::ops::Range;

/// Bytes of one 16-byte load.
pub(crate) const QUAD_BYTES: u64 = 16;

/// What bindings and copies are multiples of.
pub(crate) const WORD_BYTES: u64 = 4;

/// No window is larger, so that no index in a kernel comes near 2^32.
pub(crate) const MAX_WINDOW_BYTES: u64 = 1 << 31;

/// More would be a plan too large to run as one submission: 8 TiB in bindings of 128 MiB.
pub(crate) const MAX_WINDOWS: u64 = 1 << 16;

/// Elements behind one binding: those before the first whole quad, whole quads, those after.
/// Indices count from the start of the binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// What is bound.
    pub(crate) bytes: Range<u64>,
    /// Elements.
    pub(crate) head: Range<u32>,
    /// Quads.
    pub(crate) body: Range<u32>,
    /// Elements.
    pub(crate) tail: Range<u32>,
}

impl Window {
    pub(crate) fn body_quads(&self) -> u32 {
        self.body.end - self.body.start
    }

    /// What is bound as quads, if there are any: from the first byte that is bound to the end of the last quad.
    pub(crate) fn quad_bytes(&self) -> Option<Range<u64>> {
        let end = self.bytes.start + u64::from(self.body.end) * QUAD_BYTES;
        (!self.body.is_empty()).then_some(self.bytes.start..end)
    }

    /// As kernels take it.
    pub(crate) fn parameters(&self) -> WindowParameters {
        let Self { head, body, tail, .. } = self;
        WindowParameters {
            head_first: head.start,
            head_count: head.end - head.start,
            body_first: body.start,
            body_end: body.end,
            tail_first: tail.start,
            tail_count: tail.end - tail.start,
        }
    }

    /// All its elements, from the first to the last.
    pub(crate) fn elements(&self) -> Range<u32> {
        let end = if self.body.is_empty() { self.head.end } else { self.tail.end };
        self.head.start..end
    }

    /// How many these are.
    pub(crate) fn len(&self) -> u64 {
        let Range { start, end } = self.elements();
        u64::from(end - start)
    }

    /// The elements of `range`, in bytes of the buffer, behind a binding that starts at `start`.
    pub(crate) fn new(start: u64, range: &Range<u64>, element_bytes: u64) -> Self {
        let first = range.start - start;
        let end = range.end - start;
        let body_start = first.next_multiple_of(QUAD_BYTES);
        let body_end = end - end % QUAD_BYTES;
        let element = |byte: u64| to_index(byte / element_bytes);
        let quad = |byte: u64| to_index(byte / QUAD_BYTES);
        let (head, body, tail) = if body_start < body_end {
            (first..body_start, body_start..body_end, body_end..end)
        } else {
            (first..end, 0..0, 0..0)
        };
        Self {
            bytes: start..range.end.next_multiple_of(WORD_BYTES),
            head: element(head.start)..element(head.end),
            body: quad(body.start)..quad(body.end),
            tail: element(tail.start)..element(tail.end),
        }
    }
}

/// Consecutive elements of a buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// Where the first of them starts.
    pub(crate) offset_bytes: u64,
    pub(crate) len: u64,
    pub(crate) element_bytes: u64,
}

impl Run {
    /// Where they end, if they lie as they must.
    pub(crate) fn end_bytes(&self) -> Result<u64> {
        let invalid = |what: String| Error::InvalidBuffer { what };
        let Self { offset_bytes: offset, len, element_bytes } = *self;
        if !offset.is_multiple_of(element_bytes) {
            let message = format!("offset {offset} is not a multiple of {element_bytes} bytes");
            return Err(invalid(message));
        }
        end_of(offset, [len, element_bytes])
    }

    /// Where a binding of them starts and ends, and how many could lie before them behind it.
    pub(crate) fn bound(&self, caps: &Caps) -> Result<(Range<u64>, u32)> {
        let end = self.end_bytes()?;
        let Self { offset_bytes: offset, element_bytes, .. } = *self;
        let start = binding_start(offset, element_bytes, caps.storage_alignment_bytes);
        Ok((start..end, to_index((offset - start) / element_bytes)))
    }
}

/// Bytes from the start of one window of at most `max_bytes` to the start of the next, and what
/// starts are multiples of.
pub(crate) fn step_and_alignment(caps: &Caps, max_bytes: u64) -> Result<(u64, u64)> {
    let alignment = caps.storage_alignment_bytes.max(QUAD_BYTES);
    let largest = caps.max_binding_bytes.min(MAX_WINDOW_BYTES).min(max_bytes.max(alignment));
    let step = largest - largest % alignment;
    if step == 0 {
        let what = format!("a binding of {largest} bytes holds no aligned window");
        return Err(Error::InvalidBuffer { what });
    }
    Ok((step, alignment))
}

/// The windows of a run, none longer than `max_bytes`, in order; together they hold every element exactly once.
pub(crate) fn split(run: &Run, caps: &Caps, max_bytes: u64) -> Result<Vec<Window>> {
    let end = run.end_bytes()?;
    let offset = run.offset_bytes;
    let (step, alignment) = step_and_alignment(caps, max_bytes)?;
    caps.check_buffer(end)?;
    if (end - offset) / step > MAX_WINDOWS {
        let max_bytes = step.saturating_mul(MAX_WINDOWS);
        return Err(Error::BufferTooLarge { bytes: end - offset, max_bytes });
    }
    let mut windows = Vec::new();
    let mut start = offset - offset % alignment;
    // As few as can be, and about as long as each other.
    let count = (end - start).div_ceil(step).max(1);
    let step = (end - start).div_ceil(count).next_multiple_of(alignment);
    while start < end {
        let next = start.saturating_add(step);
        let range = start.max(offset)..end.min(next);
        windows.push(Window::new(start, &range, run.element_bytes));
        start = next;
    }
    Ok(windows)
}

/// The windows of all parts, each with its part's number.
pub(crate) fn split_parts(
    parts: &[Part],
    element_bytes: u64,
    caps: &Caps,
    max_bytes: u64,
) -> Result<Vec<(usize, Window)>> {
    let mut windows = Vec::new();
    for (number, &Part { offset_bytes, len }) in parts.iter().enumerate() {
        let of_part = split(&Run { offset_bytes, len, element_bytes }, caps, max_bytes)?;
        // One without elements may still have a window, from an aligned byte to its offset.
        let of_part = of_part.into_iter().filter(|_| len > 0);
        windows.extend(of_part.map(|window| (number, window)));
        if windows.len() as u64 > MAX_WINDOWS {
            let what = format!("the parts need more than {MAX_WINDOWS} bindings");
            return Err(Error::InvalidBuffer { what });
        }
    }
    Ok(windows)
}

/// Windows are at most [`MAX_WINDOW_BYTES`] long, and alignments far shorter, so indices in them fit.
fn to_index(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The last place up to an offset where a binding may start that is a whole number of items of a size before it, if
/// the offset is a multiple of that size.
pub(crate) fn binding_start(offset_bytes: u64, size_bytes: u64, alignment_bytes: u64) -> u64 {
    let odd = size_bytes.max(1) >> size_bytes.max(1).trailing_zeros();
    offset_bytes - offset_bytes % alignment_bytes.max(1).saturating_mul(odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_windows_as_there_may_be() {
        let mut caps = Caps::baseline();
        caps.max_binding_bytes = 256;
        caps.max_buffer_bytes = 1 << 40;
        let of_len = |len| {
            let run = Run { offset_bytes: 512, len, element_bytes: 4 };
            split(&run, &caps, u64::MAX).map(|windows| windows.len() as u64)
        };
        assert_eq!(of_len(64 * MAX_WINDOWS), Ok(MAX_WINDOWS));
        let (bytes, max_bytes) = (256 * MAX_WINDOWS + 256, 256 * MAX_WINDOWS);
        let more = of_len(64 * MAX_WINDOWS + 64);
        assert_eq!(more, Err(Error::BufferTooLarge { bytes, max_bytes }));
    }

    #[test]
    fn parts_have_as_many_windows_together() {
        let caps = Caps::baseline();
        let of_parts = |count| {
            let parts = vec![Part { offset_bytes: 0, len: 1 }; usize::try_from(count).unwrap()];
            split_parts(&parts, 4, &caps, u64::MAX).map(|windows| windows.len() as u64)
        };
        assert_eq!(of_parts(MAX_WINDOWS), Ok(MAX_WINDOWS));
        let more = of_parts(MAX_WINDOWS + 1);
        assert!(matches!(more, Err(Error::InvalidBuffer { .. })), "{more:?}");
    }
}
