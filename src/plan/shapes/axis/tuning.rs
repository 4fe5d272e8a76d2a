//! The numbers that make a plan along an axis fast.

use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::geometry;
use crate::plan::limits::invalid_tuning;
use std::fmt;

/// How reductions along an axis are spread over the device. Any valid tuning gives a right answer; for
/// sums of floats the order of additions, and so the last bits, depend on it.
///
/// ```
/// use wgpu_reduce::{AxisTuning, Caps};
///
/// let tuning = AxisTuning::for_caps(&Caps::baseline());
/// assert!(tuning.workgroup_size.is_power_of_two());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AxisTuning {
    /// Invocations per workgroup; a power of two that the device allows.
    pub workgroup_size: u32,
    /// Invocations that it takes to keep the device loading. Where there are not so many rows or columns,
    /// several invocations share one, then several workgroups.
    pub invocations: u32,
    /// Most workgroups of a dispatch; they come round as often as need be.
    pub max_workgroups: u32,
    /// Loads of an invocation before it uses the first; from 1 to 16.
    pub loads_in_flight: u32,
    /// Most rows of which a team loads all before it uses the first, where they are short; from 1 to 4.
    pub rows_in_flight: u32,
    /// Rows of up to so many invocations with all their loads in flight have a team of just that size;
    /// longer ones have as many as [`invocations`](Self::invocations) asks for.
    pub short_team: u32,
    /// Elements that a row must have to be read by quads where it does not begin with a whole one.
    pub min_unaligned: u32,
    /// Invocations that a short row's team has at least, so that what they read at once fills a line of the cache;
    /// a power of two.
    pub shortest_team: u32,
    /// Columns, or loads of several, side by side that a workgroup takes together at most; a power of two.
    pub widest_block: u32,
    /// Most bytes of partials between two passes, unless those of one row are more; more rows are folded in turn.
    pub max_partial_bytes: u64,
}

impl AxisTuning {
    /// The default of a device.
    ///
    /// On a GPU: 2^18 invocations, about what an NVIDIA H200 holds, in workgroups of 256; loads of 128
    /// bytes in flight for each. A CPU pays for every workgroup and gets few.
    #[must_use]
    pub fn for_caps(caps: &Caps) -> Self {
        let [size, invocations, max_workgroups, loads_in_flight, rows_in_flight] =
            geometry::axis(caps.class);
        let [short_team, min_unaligned, shortest_team, widest_block] = geometry::AXIS_TEAMS;
        Self {
            workgroup_size: geometry::allowed(caps, size, 1)[0],
            invocations,
            max_workgroups,
            loads_in_flight,
            rows_in_flight,
            short_team,
            min_unaligned,
            shortest_team,
            widest_block,
            max_partial_bytes: geometry::AXIS_PARTIAL_BYTES,
        }
    }

    /// The default for accumulators of so many bytes.
    pub(crate) fn for_accumulators(caps: &Caps, bytes: u64) -> Self {
        let mut tuning = Self::for_caps(caps);
        if bytes >= geometry::AXIS_LONG_BYTES {
            (tuning.shortest_team, tuning.short_team) = (1, 1);
        }
        let (longest, [size, invocations]) = geometry::AXIS_LONGEST;
        if bytes >= longest {
            tuning.workgroup_size = tuning.workgroup_size.min(size);
            tuning.invocations = tuning.invocations.min(invocations);
        }
        tuning
    }

    /// Makes workgroups so small that accumulators of so many bytes fit into their memory.
    pub(crate) fn fitted(mut self, caps: &Caps, accumulator_bytes: u64) -> Self {
        let room = u64::from(caps.workgroup_storage_bytes);
        while self.workgroup_size > 1 && u64::from(self.workgroup_size) * accumulator_bytes > room {
            self.workgroup_size /= 2;
        }
        self
    }

    /// Fails where a device cannot run it.
    pub(crate) fn validate(&self, caps: &Caps) -> Result<()> {
        let Self { workgroup_size: size, .. } = *self;
        let is_valid = size.is_power_of_two()
            && size <= caps.workgroup_size()
            && self.invocations > 0
            && self.max_workgroups > 0
            && (1..=16).contains(&self.loads_in_flight)
            && (1..=4).contains(&self.rows_in_flight)
            && self.short_team.is_power_of_two()
            && self.shortest_team.is_power_of_two()
            && self.widest_block.is_power_of_two()
            // Less might leave no whole quad in a row.
            && self.min_unaligned >= 64;
        if is_valid {
            return Ok(());
        }
        Err(invalid_tuning(format!("{self:?} does not fit the device")))
    }
}

/// As `256 × 8448 for 262144 invocations, 8 loads, 4 rows, teams of 8 to 32, blocks of 32, unaligned from 256,
/// partials of 268435456 bytes`.
impl fmt::Display for AxisTuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workgroup_size, invocations, max_workgroups, loads_in_flight, .. } = self;
        let Self { rows_in_flight, short_team, shortest_team, widest_block, .. } = self;
        write!(f, "{workgroup_size} × {max_workgroups} for {invocations} invocations, ")?;
        write!(f, "{loads_in_flight} loads, {rows_in_flight} rows, ")?;
        write!(f, "teams of {shortest_team} to {short_team}, blocks of {widest_block}, ")?;
        write!(
            f,
            "unaligned from {}, partials of {} bytes",
            self.min_unaligned, self.max_partial_bytes
        )
    }
}
