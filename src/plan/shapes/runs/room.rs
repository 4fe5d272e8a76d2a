//! Where keys of runs and their number lie behind results and report, for the host.

use crate::plan::cut::window::{QUAD_BYTES, WORD_BYTES};
use crate::plan::shapes::runs::finder::Keys;
use crate::plan::shapes::segments::Layout;
use std::ops::Range;

/// Up to here bytes that nobody needs cost less than to wait twice.
pub(crate) const AT_ONCE_BYTES: u64 = 256 << 10;

/// Where results, report, keys and number lie in what comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) layout: Layout,
    pub(crate) keys_first: u64,
    pub(crate) count_first: u64,
}

impl Room {
    /// Behind what segments leave.
    pub(crate) fn behind(layout: Layout, keys: &Keys<'_>) -> Self {
        let alignment = keys.caps.storage_alignment_bytes.max(QUAD_BYTES);
        let keys_first = layout.end_bytes().next_multiple_of(alignment);
        let keys_end = keys_first + keys.bytes * keys.place.len;
        Self { layout, keys_first, count_first: keys_end.next_multiple_of(alignment) }
    }

    /// Where all of it ends.
    pub(crate) const fn end_bytes(&self) -> u64 {
        self.count_first + WORD_BYTES
    }

    /// The same, but of so many runs at most.
    pub(crate) fn of_first(self, count: u32) -> Self {
        Self { layout: self.layout.of_first(count.into()), ..self }
    }

    /// What there is of the first `count` runs, and how it lies side by side.
    pub(crate) fn compact(
        self,
        count: u32,
        [result_bytes, key_bytes]: [u64; 2],
    ) -> ([Range<u64>; 3], Self) {
        let ([results, report], layout) = self.layout.compact(count.into(), result_bytes);
        let keys_first = results.end + (report.end - report.start);
        let keys = self.keys_first..self.keys_first + key_bytes * u64::from(count);
        ([results, report, keys], Self { layout, keys_first, ..self })
    }
}
