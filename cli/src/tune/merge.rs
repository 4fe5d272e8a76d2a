//! What was stored before, beside what was measured now.

use std::ops::RangeInclusive;
use wgpu_reduce::{ElementKind, OpRecord, TunedLengths};

/// Lengths that were measured, whatever came of it.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) operation: &'static OpRecord,
    pub(crate) element: ElementKind,
    pub(crate) lengths: RangeInclusive<u64>,
}

/// What is left of `stored` where nothing was measured.
pub(crate) fn beside(stored: &[TunedLengths], measured: &[Measured]) -> Vec<TunedLengths> {
    let cut_all = |pieces: Vec<TunedLengths>, by: &Measured| {
        pieces.into_iter().flat_map(|piece| cut(piece, by)).collect()
    };
    measured.iter().fold(stored.to_vec(), cut_all)
}

/// The lengths before and after those that were measured.
fn cut(tuned: TunedLengths, measured: &Measured) -> Vec<TunedLengths> {
    if tuned.operation != measured.operation || tuned.element != measured.element {
        return vec![tuned];
    }
    let (first, last) = tuned.lengths.clone().into_inner();
    let (first_measured, last_measured) = measured.lengths.clone().into_inner();
    let before = first_measured.checked_sub(1).map(|end| first..=end.min(last));
    let after = last_measured.checked_add(1).map(|start| start.max(first)..=last);
    let ranges = before.into_iter().chain(after).filter(|lengths| !lengths.is_empty());
    ranges.map(|lengths| TunedLengths { lengths, ..tuned.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Measured, beside};
    use std::ops::RangeInclusive;
    use wgpu_reduce::{Caps, ElementKind, OpRecord, TunedLengths, Tuning};

    fn stored(element: ElementKind, lengths: RangeInclusive<u64>) -> TunedLengths {
        let tuning = Tuning::for_len(&Caps::baseline(), element, *lengths.end());
        TunedLengths { operation: OpRecord::ALL[0], element, lengths, tuning }
    }

    fn measured(element: ElementKind, lengths: RangeInclusive<u64>) -> Measured {
        Measured { operation: OpRecord::ALL[0], element, lengths }
    }

    #[test]
    fn what_was_measured_is_cut_out() {
        let kind = ElementKind::F32;
        for (of, by, left) in [
            (5..=8, 9..=16, vec![5..=8]),
            (5..=8, 3..=4, vec![5..=8]),
            (5..=8, 5..=8, vec![]),
            (5..=8, 1..=10, vec![]),
            (5..=32, 9..=16, vec![5..=8, 17..=32]),
            (5..=32, 5..=8, vec![9..=32]),
            (5..=32, 17..=32, vec![5..=16]),
            (0..=u64::MAX, 0..=4, vec![5..=u64::MAX]),
            (0..=u64::MAX, 5..=u64::MAX, vec![0..=4]),
            (0..=u64::MAX, 0..=u64::MAX, vec![]),
        ] {
            let tuned = stored(kind, of);
            let pieces = beside(std::slice::from_ref(&tuned), &[measured(kind, by.clone())]);
            let expected: Vec<_> =
                left.into_iter().map(|lengths| TunedLengths { lengths, ..tuned.clone() }).collect();
            assert_eq!(pieces, expected, "{tuned} without {by:?}");
        }
    }

    #[test]
    fn other_types_are_left_alone() {
        let all = ElementKind::ALL.map(|kind| stored(kind, 5..=16));
        let left =
            beside(&all, &[measured(ElementKind::I32, 5..=8), measured(ElementKind::I32, 9..=16)]);
        assert_eq!(left[..], [&all[..1], &all[2..]].concat());
        assert_eq!(beside(&all, &[]), all);
        assert_eq!(beside(&[], &[measured(ElementKind::I32, 5..=8)]), []);
    }
}
