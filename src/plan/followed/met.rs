//! What lies beside elements, as weights and keys do: which meets which.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "it fails where something does not hold"
)]

use crate::plan::cut::part::Part;
use crate::plan::recording::{RecordedDispatch, binding};
use crate::plan::shapes::bins::follow::bound;

/// Neighbours that meet neighbours: part and number of the first element, the same of what is beside it, and how many.
#[derive(Debug, PartialEq)]
pub(crate) struct Met {
    pub(crate) element: (usize, u64),
    pub(crate) beside: (usize, u64),
    pub(crate) count: u64,
}

impl Met {
    /// What a dispatch has side by side: elements of an index on, so far from which what is beside them lies. `parts` are those of the
    /// input, before the others.
    pub(crate) fn of(
        dispatch: &RecordedDispatch,
        ([first, end], delta): ([u32; 2], u32),
        [size, beside_bytes]: [u64; 2],
        parts: usize,
    ) -> Self {
        let (part, bytes) = bound(dispatch, binding::SOURCE);
        let (other, of_beside) = bound(dispatch, binding::PARTNER_WORDS);
        assert!(bytes.end % 4 == 0 && of_beside.end % 4 == 0);
        let count = u64::from(end - first);
        let beside = u64::from(first.wrapping_add(delta));
        assert!(count == 0 || u64::from(end) * size <= bytes.end - bytes.start, "{dispatch:?}");
        let end_of_beside = (beside + count) * beside_bytes;
        assert!(end_of_beside <= of_beside.end - of_beside.start, "{dispatch:?}");
        let element = (part, bytes.start / size + u64::from(first));
        let beside = (other - parts, of_beside.start / beside_bytes + beside);
        Self { element, beside, count }
    }

    /// Appends it to what has been met, joined with the last where it goes on there.
    pub(crate) fn append_to(self, all: &mut Vec<Self>) {
        let goes_on = |(part, first), count, after| (part, first + count) == after;
        match all.last_mut() {
            _ if self.count == 0 => {}
            Some(Self { element, beside, count })
                if goes_on(*element, *count, self.element)
                    && goes_on(*beside, *count, self.beside) =>
            {
                *count += self.count;
            }
            _ => all.push(self),
        }
    }

    /// What is to be met: an input and what is beside it, side by side.
    pub(crate) fn expected(
        [input, beside]: [&[Part]; 2],
        [size, beside_bytes]: [u64; 2],
    ) -> Vec<Self> {
        let mut others = beside.iter().enumerate();
        let mut other = others.next();
        let mut taken = 0;
        let mut all = Vec::new();
        for (number, part) in input.iter().enumerate() {
            let mut done = 0;
            while done < part.len {
                let (of_other, &Part { offset_bytes, len }) = other.expect("as many beside");
                let count = (part.len - done).min(len - taken);
                let element = (number, part.offset_bytes / size + done);
                let beside = (of_other, offset_bytes / beside_bytes + taken);
                Self { element, beside, count }.append_to(&mut all);
                (done, taken) = (done + count, taken + count);
                if taken == len {
                    (other, taken) = (others.next(), 0);
                }
            }
        }
        all
    }
}
