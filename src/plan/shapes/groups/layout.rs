//! What comes back: a result of each group, then what is noted of keys and, where it is needed, lengths.

use crate::error::{Error, Result};
use crate::op::decode;
use crate::op::fold::{Finish, Many, ManyLeft};
use crate::plan::cut::window::WORD_BYTES;

/// Where results and report lie in what comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) groups: u32,
    pub(crate) report_first: u64,
    /// Whether it is reported which groups have elements, or how many.
    pub(crate) has_lengths: bool,
}

impl Layout {
    /// Where all of it ends.
    pub(crate) const fn end_bytes(&self) -> u64 {
        self.report_first + WORD_BYTES * self.report_words()
    }

    pub(crate) const fn report_words(&self) -> u64 {
        1 + if self.has_lengths { self.groups as u64 } else { 0 }
    }

    /// The index of the first element whose key is of no group, if there is one.
    pub(crate) fn first_wrong(&self, bytes: &[u8]) -> Result<Option<u64>> {
        let noted: u32 = decode::value(decode::from(bytes, self.report_first))?;
        Ok((noted != 0).then_some(u64::from(!noted)))
    }

    pub(crate) fn results<R>(
        &self,
        of: Many,
        finisher: &dyn Finish<R>,
        bytes: &[u8],
    ) -> Result<Vec<R>> {
        let report = decode::from(bytes, self.report_first);
        // What has a result of none needs no length for it.
        let lens = if self.has_lengths { decode::from(report, WORD_BYTES) } else { &[] };
        let results = usize::try_from(self.groups).unwrap_or(usize::MAX);
        let left = ManyLeft { of, bytes, results, len: 0, lens };
        finisher.finish_each(left).map_err(|(number, error)| match error {
            Error::Empty { operation } => Error::EmptyGroup { operation, group: number as u64 },
            error => error,
        })
    }
}
