//! The numbers that make histograms fast.

use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::cut::window::{QUAD_BYTES, Window};
use crate::plan::geometry::{self, largest_power_of_two};
use crate::plan::limits::{check_between, check_workgroup_size, invalid_tuning};
use std::fmt;

/// How a histogram is spread over the device, or an order statistic of a whole input. Results are the same with any of them.
///
/// ```
/// use wgpu_reduce::{Caps, HistogramTuning};
///
/// let tuning = HistogramTuning::for_caps(&Caps::baseline());
/// assert!(tuning.workgroup_size.is_power_of_two());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HistogramTuning {
    /// Invocations per workgroup; a power of two that the device allows.
    pub workgroup_size: u32,
    /// Most workgroups that share one binding window: as much of the input as one binding covers.
    pub max_workgroups: u32,
    /// Quads of 16 bytes that an invocation loads before it uses the first of them: 1 or 4.
    pub loads_in_flight: u32,
    /// Most copies that a workgroup has of its counters; a power of two. It has as many as fit into its
    /// memory; if not even one does, or this is 0, all invocations add to the totals. Order statistics have one.
    pub copies: u32,
}

impl HistogramTuning {
    /// The default of a device.
    ///
    /// On a GPU there are as many copies of the counters as memory has banks on most of them, 32, so that lanes
    /// of a subgroup do not wait for each other; where fewer fit, some do. There is a workgroup for each of the 132
    /// processors of an NVIDIA H200, where this was measured: more of them count no faster, and add up longer. A CPU runs the invocations of a workgroup
    /// one after another.
    #[must_use]
    pub fn for_caps(caps: &Caps) -> Self {
        let [size, count, loads_in_flight, copies] = geometry::bins(caps.class);
        let [workgroup_size, max_workgroups] = geometry::allowed(caps, size, count);
        Self { workgroup_size, max_workgroups, loads_in_flight, copies }
    }

    /// The default of a device for weights, of which more workgroups keep more under way at once: to add a weight
    /// takes several steps.
    ///
    /// ```
    /// use wgpu_reduce::{Caps, HistogramTuning};
    ///
    /// let caps = Caps::baseline();
    /// let counting = HistogramTuning::for_caps(&caps);
    /// assert!(HistogramTuning::for_weights(&caps).max_workgroups >= counting.max_workgroups);
    /// ```
    #[must_use]
    pub fn for_weights(caps: &Caps) -> Self {
        let counting = Self::for_caps(caps);
        let times = geometry::weights(caps.class);
        Self { max_workgroups: times * counting.max_workgroups, ..counting }
    }

    /// How many copies of so many counters a workgroup has; none if not even one fits.
    pub(crate) fn fitting_copies(self, counters: u64, caps: &Caps) -> Option<u32> {
        let fit = u64::from(caps.workgroup_storage_bytes) / 4 / counters.max(1);
        let fit = u32::try_from(fit).unwrap_or(u32::MAX);
        (fit > 0 && self.copies > 0).then(|| largest_power_of_two(fit).min(self.copies))
    }

    /// One workgroup per tile of a window, up to what tuning and grid allow.
    pub(crate) fn workgroups(self, window: &Window, caps: &Caps) -> u32 {
        let Self { workgroup_size, max_workgroups, loads_in_flight, .. } = self;
        let tile = workgroup_size * loads_in_flight;
        let most = max_workgroups.min(caps.max_grid());
        window.body_quads().div_ceil(tile).clamp(1, most)
    }

    /// What all invocations together read before a loop has taken all the turns it may, where a quad, an element beside the quads, and
    /// all else take so many.
    pub(crate) fn max_window_bytes(
        self,
        [of_quad, of_element, others]: [u64; 3],
        caps: &Caps,
    ) -> u64 {
        let (size, loads) = (u64::from(self.workgroup_size), u64::from(self.loads_in_flight));
        let of_ends = MOST_AT_ENDS.div_ceil(size) * of_element;
        let turns = u64::from(caps.max_loop_turns).saturating_sub(others + of_ends);
        // Whole tiles: a part of one takes as long.
        let quads = (turns / of_quad / loads).max(1) * loads;
        let workgroups = u64::from(self.max_workgroups.min(caps.max_grid()));
        workgroups.saturating_mul(size * QUAD_BYTES).saturating_mul(quads)
    }

    pub(crate) fn validate(self, caps: &Caps) -> Result<()> {
        let Self { workgroup_size: size, max_workgroups, loads_in_flight, copies } = self;
        check_workgroup_size(size, caps.workgroup_size())?;
        check_between(max_workgroups, "workgroups", 1..=MAX_WORKGROUPS)?;
        if !matches!(loads_in_flight, 1 | 4) {
            let what = format!("{loads_in_flight} loads in flight are neither 1 nor 4");
            return Err(invalid_tuning(what));
        }
        if copies > 0 && !copies.is_power_of_two() {
            return Err(invalid_tuning(format!("{copies} copies are no power of two")));
        }
        Ok(())
    }
}

const MAX_WORKGROUPS: u32 = 1 << 16;

/// Elements of a window in no whole quad, or in the only one of which it has a part.
const MOST_AT_ENDS: u64 = 2 * (QUAD_BYTES - 1);

/// As `512 × 528, 4 loads, 32 copies`.
impl fmt::Display for HistogramTuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workgroup_size, max_workgroups, loads_in_flight, copies } = self;
        write!(f, "{workgroup_size} × {max_workgroups}, {loads_in_flight} loads, {copies} copies")
    }
}
