//! In which order what chunks leave is folded.

/// Partials that a level has room for: of the longest accumulator as many as a binding of 64 KiB holds.
pub(crate) const LEVEL_SLOTS: u32 = 128;

/// All partials of a level become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fold {
    /// The level whose partials are folded.
    pub(crate) level: usize,
    /// There are so many.
    pub(crate) count: u32,
    /// Where the one goes in the next level; nowhere, if it is the result.
    pub(crate) slot: Option<u32>,
}

/// How many partials each level has: a number with a digit for each, of base [`LEVEL_SLOTS`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Levels {
    filled: Vec<u32>,
}

impl Levels {
    /// Where a chunk's partial goes in the lowest level, and what is folded when it is there.
    pub(crate) fn push(&mut self) -> (u32, Vec<Fold>) {
        let slot = self.put(0);
        let mut folds = Vec::new();
        let mut level = 0;
        while self.take_full(level) {
            let slot = Some(self.put(level + 1));
            folds.push(Fold { level, count: LEVEL_SLOTS, slot });
            level += 1;
        }
        (slot, folds)
    }

    /// What is folded when no more chunks come; the last of it leaves the result.
    pub(crate) fn finish(mut self) -> Vec<Fold> {
        let highest = self.filled.len().saturating_sub(1);
        let mut folds = Vec::new();
        for level in 0..=highest {
            let count = self.filled.get(level).copied().unwrap_or(0);
            if level == highest {
                folds.push(Fold { level, count, slot: None });
            } else if count > 0 {
                folds.push(Fold { level, count, slot: Some(self.put(level + 1)) });
            }
        }
        folds
    }

    /// The next free slot of a level.
    fn put(&mut self, level: usize) -> u32 {
        if self.filled.len() <= level {
            self.filled.resize(level + 1, 0);
        }
        let Some(filled) = self.filled.get_mut(level) else { return 0 };
        *filled += 1;
        *filled - 1
    }

    /// Empties a level if it is full.
    fn take_full(&mut self, level: usize) -> bool {
        let full = self.filled.get_mut(level).filter(|filled| **filled == LEVEL_SLOTS);
        full.map(|filled| *filled = 0).is_some()
    }

    /// How many folds a partial passes through at most, of so many chunks.
    pub(crate) fn depth(chunks: u64) -> u64 {
        1 + u64::from(chunks.checked_ilog(LEVEL_SLOTS.into()).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::{Fold, LEVEL_SLOTS, Levels};
    use std::collections::BTreeMap;

    /// Follows the folds with sets of chunks, each with the folds it has passed through, instead of partials.
    #[derive(Default)]
    struct Followed(BTreeMap<(usize, u32), Vec<(u64, u64)>>);

    impl Followed {
        fn fold(&mut self, Fold { level, count, slot }: Fold) -> Vec<(u64, u64)> {
            let parts = (0..count).flat_map(|slot| self.0.remove(&(level, slot)).unwrap());
            let all: Vec<_> = parts.map(|(chunk, depth)| (chunk, depth + 1)).collect();
            if let Some(slot) = slot {
                assert!(slot < LEVEL_SLOTS);
                assert!(self.0.insert((level + 1, slot), all.clone()).is_none());
            }
            all
        }
    }

    #[test]
    fn every_chunk_is_in_the_result_once() {
        let full = u64::from(LEVEL_SLOTS);
        for chunks in
            [0, 1, 2, full - 1, full, full + 1, 3 * full + 7, full * full - 1, full * full]
        {
            let (mut levels, mut followed) = (Levels::default(), Followed::default());
            for chunk in 0..chunks {
                let (slot, folds) = levels.push();
                assert!(followed.0.insert((0, slot), vec![(chunk, 0)]).is_none());
                for fold in folds {
                    followed.fold(fold);
                }
            }
            let folds = levels.finish();
            let ends: Vec<_> = folds.iter().map(|fold| fold.slot.is_none()).collect();
            assert!(ends.iter().rev().skip(1).all(|ends| !ends) && ends.last() == Some(&true));
            let result = folds.into_iter().map(|fold| followed.fold(fold)).last().unwrap();
            assert!(result.iter().map(|(chunk, _)| *chunk).eq(0..chunks), "{chunks} chunks");
            let deepest = result.iter().map(|(_, depth)| *depth).max().unwrap_or(1);
            assert_eq!(deepest, Levels::depth(chunks), "{chunks} chunks");
            assert!(followed.0.is_empty());
        }
    }
}
