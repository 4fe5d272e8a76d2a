//! Which elements a rank has.

use std::ops::Range;

/// The elements of one rank where `len` are shared evenly, in order: the first ranks have one more than the others
/// where that is not a whole number. Of no ranks, and of a rank that is not there, none.
///
/// ```
/// use wgpu_reduce_mpi::share;
///
/// assert_eq!([share(10, 0, 3), share(10, 1, 3), share(10, 2, 3)], [0..4, 4..7, 7..10]);
/// ```
#[must_use]
pub fn share(len: u64, rank: u64, ranks: u64) -> Range<u64> {
    if rank >= ranks {
        return len..len;
    }
    let (each, more) = (len / ranks, len % ranks);
    // No more than `len`, as there are no more such starts than elements.
    let start = |rank: u64| rank * each + rank.min(more);
    start(rank)..start(rank + 1)
}

#[cfg(test)]
mod tests {
    use super::share;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_hold_every_element_once(len in any::<u64>(), ranks in 1_u64..5000) {
            let mut next = 0;
            for rank in 0..ranks {
                let range = share(len, rank, ranks);
                prop_assert_eq!(range.start, next);
                prop_assert!((range.end - range.start).abs_diff(len / ranks) <= 1);
                next = range.end;
            }
            prop_assert_eq!(next, len);
            prop_assert!(share(len, ranks, ranks).is_empty());
        }
    }
}
