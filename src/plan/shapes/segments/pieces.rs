//! How the input is cut into pieces, and how many workgroups share each.

use crate::error::{Error, Result};
use crate::plan::cut::window::{Window, split_parts};
use crate::plan::limits::unsupported;
use crate::plan::recording::low_word;
use crate::plan::shapes::segments::build::Builder;
use std::ops::Range;

/// Elements behind one binding, and the workgroups that share them.
pub(crate) struct Piece {
    pub(crate) part: usize,
    pub(crate) window: Option<Window>,
    /// Elements of the input.
    pub(crate) elements: Range<u32>,
    /// What is added to an index behind the binding to get that in the input.
    pub(crate) base: u64,
    pub(crate) most_tiles: u32,
    pub(crate) workgroups: u32,
    pub(crate) first_split: u32,
    pub(crate) first_share: u32,
}

impl Builder<'_> {
    /// The pieces of the input; one of nothing, if there are no elements.
    pub(crate) fn pieces(&self) -> Result<Vec<Piece>> {
        let (caps, size) = (self.caps, self.problem.element.size_bytes());
        let windows = split_parts(self.problem.first(), size, caps, u64::MAX)?;
        let mut windows: Vec<_> =
            windows.into_iter().map(|(part, window)| (part, Some(window))).collect();
        if windows.is_empty() {
            windows.push((0, None));
        }
        let room = caps.max_binding_bytes / self.share_bytes();
        let room = u32::try_from(room / windows.len() as u64).unwrap_or(u32::MAX);
        let (mut first_split, mut first_share, mut index) = (0, 0_u32, 0_u64);
        let mut pieces = Vec::with_capacity(windows.len());
        for (part, window) in windows {
            let (before, count) =
                window.as_ref().map_or((0, 0), |window| (window.elements().start, window.len()));
            let base = index.wrapping_sub(before.into());
            let elements = low_word(index)..low_word(index + count);
            index += count;
            let items = u64::from(elements.end - elements.start) + u64::from(self.segments);
            let most_tiles = items.div_ceil(self.tuning.tile(self.problem.element).into());
            let most_tiles = u32::try_from(most_tiles).map_err(|_| too_many_tiles())?;
            let workgroups = self.workgroups(most_tiles, room)?;
            pieces.push(Piece {
                part,
                window,
                elements,
                base,
                most_tiles,
                workgroups,
                first_split,
                first_share,
            });
            let next = first_split.checked_add(most_tiles).and_then(|next| next.checked_add(2));
            first_split = next.ok_or_else(too_many_tiles)?;
            first_share = first_share.checked_add(workgroups).ok_or_else(too_many_tiles)?;
        }
        Ok(pieces)
    }

    /// As many as there may be, but no more than tiles, nor than leave what there is room for; more, where loops are ended early.
    fn workgroups(&self, tiles: u32, room: u32) -> Result<u32> {
        let caps = self.caps;
        let words = self.folding.accumulator_words();
        let run = self.tuning.run(self.problem.element);
        let of_text = if self.folding.takes_any_order() { 0 } else { TURNS_OF_TEXT };
        let turns = TURNS_PER_TILE + (4 + of_text) * run + words * TURNS_PER_WORD + 20 * of_text;
        let most = (caps.max_loop_turns / turns).max(1);
        let wanted = self.tuning.max_workgroups.min(caps.max_grid()).min(tiles).min(room).max(1);
        let workgroups = wanted.max(tiles.div_ceil(most));
        if workgroups > caps.max_grid() {
            return Err(unsupported("so many elements in grids so small"));
        }
        Ok(workgroups)
    }
}

/// Turns of the loops of `segments/fold.wgsl` for a tile, apart from those for each element of a run and
/// those for each word of an accumulator that is shuffled; generously.
const TURNS_PER_TILE: u32 = 256;
const TURNS_PER_WORD: u32 = 40;

/// Turns of loops of a user's text for each element, and for each step of the scan behind a tile.
const TURNS_OF_TEXT: u32 = 60;

fn too_many_tiles() -> Error {
    unsupported("so many segments and elements at once")
}
