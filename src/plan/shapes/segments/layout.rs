//! What comes back: a result of each segment, then a report of the offsets and, where it is needed, of lengths.

use crate::error::{Error, Result};
use crate::op::decode;
use crate::op::fold::{Finish, LensPlace, Many, ManyLeft};
use crate::plan::cut::window::WORD_BYTES;
use std::ops::Range;

/// Where results and report lie in what comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) len: u64,
    pub(crate) segments: u64,
    pub(crate) report_first: u64,
    /// Whether a pass leaves there what it found of the offsets.
    pub(crate) is_judged: bool,
    pub(crate) has_lengths: bool,
    /// What is known of lengths that do not come.
    pub(crate) least_len: u64,
}

impl Layout {
    /// Where all of it ends: results, whether an offset is wrong, and lengths where the host needs them.
    pub(crate) const fn end_bytes(&self) -> u64 {
        let lengths = if self.has_lengths { self.segments } else { 0 };
        self.report_first + WORD_BYTES * (1 + lengths)
    }

    /// The same, but of so many segments at most.
    pub(crate) fn of_first(self, segments: u64) -> Self {
        Self { segments: self.segments.min(segments), ..self }
    }

    /// Where the results of the first `segments` lie, each of so many bytes, and what is reported of them; and how
    /// these lie side by side.
    pub(crate) fn compact(self, segments: u64, result_bytes: u64) -> ([Range<u64>; 2], Self) {
        let all = self.of_first(segments);
        let report_first = all.segments * result_bytes;
        let lengths = if self.has_lengths { all.segments } else { 0 };
        let report = self.report_first..self.report_first + WORD_BYTES * (1 + lengths);
        ([0..report_first, report], Self { report_first, ..all })
    }

    /// Fails if the first bytes of the report say that an offset is wrong.
    pub(crate) fn judge(&self, report: &[u8]) -> Result<()> {
        if self.is_judged && decode::value::<u32>(report)? != 0 {
            return Err(Error::InvalidOffsets { len: self.len, first_wrong: None });
        }
        Ok(())
    }

    pub(crate) fn results<R>(
        &self,
        of: Many,
        finisher: &dyn Finish<R>,
        bytes: &[u8],
    ) -> Result<Vec<R>> {
        let left = self.many(of, bytes)?;
        finisher.finish_each(left).map_err(|(number, error)| of_segment(number, error))
    }

    /// What a device has left of all.
    pub(crate) fn many<'r>(&self, of: Many, bytes: &'r [u8]) -> Result<ManyLeft<'r>> {
        self.judge(decode::from(bytes, self.report_first))?;
        let results = usize::try_from(self.segments).unwrap_or(usize::MAX);
        Ok(ManyLeft { of, bytes, results, lens: self.lens().lens_in(bytes) })
    }

    /// Where lengths lie. What has a result of none needs no length for it.
    pub(crate) const fn lens(&self) -> LensPlace {
        if self.has_lengths {
            LensPlace::Words(self.report_first + WORD_BYTES)
        } else {
            LensPlace::Alike(self.least_len)
        }
    }
}

/// An error of one segment says of which.
pub(crate) fn of_segment(number: usize, error: Error) -> Error {
    match error {
        Error::Empty { operation } => Error::EmptySegment { operation, segment: number as u64 },
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes back are 100 results of 8 bytes, then a word of judgement, then lengths where they are needed.
    #[test]
    fn what_the_first_segments_leave_lies_side_by_side() {
        for (has_lengths, report_end) in [(false, 804), (true, 804 + 4 * 30)] {
            let all = Layout {
                len: 1000,
                segments: 100,
                report_first: 800,
                is_judged: true,
                has_lengths,
                least_len: 0,
            };
            let (ranges, compact) = all.compact(30, 8);
            assert_eq!(ranges, [0..240, 800..report_end]);
            assert_eq!((compact.segments, compact.report_first, compact.len), (30, 240, 1000));
            let (ranges, compact) = all.compact(500, 8);
            assert_eq!((ranges[0].clone(), compact.segments), (0..800, 100));
        }
    }
}
