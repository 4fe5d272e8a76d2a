//! How many workgroups teams make up.

use crate::plan::caps::Caps;
use crate::plan::shapes::axis::tuning::AxisTuning;

/// What a team is to do, before workgroups are counted.
pub(crate) struct Team {
    pub(crate) lanes: u32,
    /// Items that a workgroup takes in a turn.
    pub(crate) items: u64,
    /// Turns of loops that an item costs an invocation, at most.
    pub(crate) item_turns: u64,
}

/// What the number of workgroups depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grids<'a> {
    pub(crate) tuning: AxisTuning,
    pub(crate) caps: &'a Caps,
}

impl Grids<'_> {
    /// Invocations that each of so many rows should have for the device to be busy.
    pub(crate) fn wanted(&self, rows: u64) -> u64 {
        u64::from(self.tuning.invocations).div_ceil(rows.max(1)).next_power_of_two()
    }

    /// Turns of loops that may be taken, some left for what is not counted.
    pub(crate) fn most_turns(&self) -> u64 {
        u64::from(self.caps.max_loop_turns).saturating_sub(512)
    }

    /// How many workgroups, and how often they come round.
    pub(crate) fn grid(&self, items: u64, team: &Team) -> Option<([u32; 2], u32)> {
        let groups = items.div_ceil(team.items).max(1);
        let rounds = self.most_turns() / team.item_turns.max(1);
        let least = groups.div_ceil(rounds.max(1));
        let most = u64::from(self.caps.max_grid());
        if rounds == 0 || least > most {
            return None;
        }
        let workgroups = groups.min(u64::from(self.tuning.max_workgroups).max(least)).min(most);
        let turns = groups.div_ceil(workgroups);
        let [x, y] = self.caps.grid(u32::try_from(groups.div_ceil(turns)).ok()?);
        let turns = groups.div_ceil(u64::from(x) * u64::from(y));
        Some(([x, y], u32::try_from(turns).ok()?))
    }
}
