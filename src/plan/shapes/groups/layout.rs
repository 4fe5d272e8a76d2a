//! What comes back: a result of each group, then what is noted of keys and, where it is needed, lengths.

use crate::error::{Error, Result};
use crate::op::decode;
use crate::op::fold::{Finish, LensPlace, Many, ManyLeft};
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
        Self::noted(decode::from(bytes, self.report_first))
    }

    /// That index, of the first bytes of the report.
    pub(crate) fn noted(report: &[u8]) -> Result<Option<u64>> {
        let noted: u32 = decode::value(report)?;
        Ok((noted != 0).then_some(u64::from(!noted)))
    }

    pub(crate) fn results<R>(
        &self,
        of: Many,
        finisher: &dyn Finish<R>,
        bytes: &[u8],
    ) -> Result<Vec<R>> {
        let results = usize::try_from(self.groups).unwrap_or(usize::MAX);
        let left = ManyLeft { of, bytes, results, lens: self.lens().lens_in(bytes) };
        finisher.finish_each(left).map_err(|(number, error)| Self::of_group(number as u64, error))
    }

    /// Where lengths lie. What has a result of none needs no length for it.
    pub(crate) const fn lens(&self) -> LensPlace {
        if self.has_lengths {
            LensPlace::Words(self.report_first + WORD_BYTES)
        } else {
            LensPlace::Alike(0)
        }
    }

    /// An error of one group says of which.
    pub(crate) fn of_group(group: u64, error: Error) -> Error {
        match error {
            Error::Empty { operation } => Error::EmptyGroup { operation, group },
            error => error,
        }
    }
}
