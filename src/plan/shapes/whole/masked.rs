//! How many elements a mask has left: where passes count them, and what the host makes of it.

use crate::error::Result;
use crate::op::decode;
use crate::plan::cut::window::QUAD_BYTES;
use crate::plan::recording::{Bound, Contents, Place, binding};
use crate::plan::shapes::whole::build::Builder;

/// A number of 64 bits.
pub(crate) const COUNT_BYTES: u64 = 8;

impl Builder<'_> {
    /// Where the number comes back behind the result: as far behind it as a binding may begin.
    pub(crate) fn counted_first(&self) -> Option<u64> {
        let is_for_host = self.problem.ends.output_offsets_bytes.is_none();
        let alignment = self.caps.storage_alignment_bytes.max(QUAD_BYTES);
        let first = self.over.output_bytes.next_multiple_of(alignment);
        (is_for_host && self.problem.mask().is_some()).then_some(first)
    }

    /// What the first pass counts in, where there is a mask. Nobody reads it where the result stays on the device.
    pub(crate) fn counted(&mut self) -> Option<Bound> {
        self.problem.mask()?;
        let (place, first) = match self.counted_first() {
            Some(first) => (Place::Output, first),
            None => (self.scratch(COUNT_BYTES, Contents::Zero), 0),
        };
        let bytes = Some(first..first + COUNT_BYTES);
        Some(Bound { binding: binding::ARRIVALS, place, bytes })
    }
}

/// The number, in what comes back.
pub(crate) fn count_in(bytes: &[u8], first: u64) -> Result<u64> {
    decode::value(decode::from(bytes, first))
}
