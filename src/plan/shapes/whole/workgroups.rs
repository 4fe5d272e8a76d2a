//! How many workgroups share the elements of a pass.

use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::cut::source::Reading;
use crate::plan::cut::window::{QUAD_BYTES, Window};
use crate::plan::limits::unsupported;
use crate::plan::shapes::whole::build::{Builder, HANDOVER_WORD_TURNS};
use crate::plan::tuning::Tuning;

impl Builder<'_> {
    /// The workgroups of each window: as many as the tuning says, or fewer, where one binding does not hold the
    /// partials of so many.
    pub(crate) fn workgroups(&self, readings: &[Reading]) -> Vec<u32> {
        let room = self.most_partial_bytes() / self.accumulator_bytes.max(1);
        let each = room / (readings.len() as u64).max(1);
        let each = u32::try_from(each).unwrap_or(u32::MAX);
        let of_window = |window: &Window| {
            self.workgroups_for(window).min(each.max(self.least_workgroups_for(window)))
        };
        readings.iter().map(|reading| of_window(&reading.window)).collect()
    }

    /// What all workgroups together read before a loop has taken all the turns it may.
    pub(crate) fn max_window_bytes(&self) -> u64 {
        let Tuning { max_workgroups, .. } = self.tuning;
        let workgroups = max_workgroups.min(self.caps.max_grid());
        let tile_bytes = self.tuning.tile_quads() * QUAD_BYTES;
        u64::from(workgroups).saturating_mul(self.max_tiles()).saturating_mul(tile_bytes)
    }

    /// Tiles that one workgroup takes before a loop has taken all the turns it may.
    fn max_tiles(&self) -> u64 {
        // A few turns are for what is left of a last turn, for head and for tail.
        let turns = self.caps.max_loop_turns.saturating_sub(MARGIN_TURNS).max(1);
        // Each turn of the loop over tiles has a loop over the loads in it, and appending may have one more.
        let per_quad = self.problem.element.per_quad();
        let fours = per_quad.div_ceil(4);
        let of_mask = if self.problem.mask().is_some() { 1 + per_quad + fours } else { 0 };
        let of_load = 1 + fours * u64::from(self.over.accumulator.quad_turns()) + of_mask;
        let loads = u64::from(self.tuning.loads_in_flight);
        (u64::from(turns) / (1 + loads * of_load)).max(1)
    }

    /// One workgroup per share, up to what tuning and grid allow; if they get several, as few as can
    /// be without one of them getting more.
    fn workgroups_for(&self, window: &Window) -> u32 {
        let shares = u64::from(window.body_quads()).div_ceil(self.tuning.share_quads()).max(1);
        let most = self.tuning.max_workgroups.min(self.caps.max_grid());
        let turns = shares.div_ceil(u64::from(most));
        u32::try_from(shares.div_ceil(turns)).unwrap_or(most)
    }

    /// So many that no loop takes more turns than it may.
    fn least_workgroups_for(&self, window: &Window) -> u32 {
        let tiles = u64::from(window.body_quads()).div_ceil(self.tuning.tile_quads());
        u32::try_from(tiles.div_ceil(self.max_tiles()).max(1)).unwrap_or(u32::MAX)
    }
}

/// Fails where a device leaves loops so early that not even a tile is sure to be folded.
pub(crate) fn check_turns(caps: &Caps) -> Result<()> {
    if caps.max_loop_turns >= MIN_TURNS {
        return Ok(());
    }
    Err(unsupported(format!("loops of {MIN_TURNS} turns")))
}

/// With room for a few tiles of as many loads as there may be.
const MIN_TURNS: u32 = MARGIN_TURNS + 2000;

/// Turns that a first pass takes at most beside those of its main loop: in the collectives, and for
/// each word of a partial in loops over words, and to wait for them.
const MARGIN_TURNS: u32 = 1024 + 8 * HANDOVER_WORD_TURNS;
