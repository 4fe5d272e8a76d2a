//! Plans followed on the CPU, for the library's own tests and, with the feature `followed`, for fuzzers of requests: each
//! function panics unless a plan reads everything exactly once, within its device's limits. No part of the interface.

pub(crate) mod met;

#[cfg(feature = "followed")]
pub use entries::{
    by_key, counted, counted_input, first_wrong, grouped, ranks, ranks_of_rows, segments, view,
    weighted,
};

use crate::plan::caps::Caps;
use crate::plan::planned::Plan;
use crate::plan::recording::Recording;
use crate::shader::fragment::checksum;
#[cfg(test)]
use crate::{
    error::Result,
    plan::cut::{few::Few, part::Part},
    plan::planned::AnyTuning,
    plan::problem::Problem,
};
use std::fmt;
use std::ops::Range;

/// A problem and the device that it is planned for, with what tests change.
#[cfg(test)]
#[derive(Debug, Clone)]
pub(crate) struct Case<'a> {
    pub(crate) problem: Problem<'a>,
    pub(crate) caps: Caps,
}

#[cfg(test)]
impl Case<'_> {
    pub(crate) fn plan(&self) -> Result<Plan> {
        self.problem.plan(&self.caps)
    }

    pub(crate) fn tune(&mut self, tuning: impl Into<AnyTuning>) {
        self.problem.tuning = Some(tuning.into());
    }

    /// Reads these parts as the one input.
    pub(crate) fn read(&mut self, parts: Vec<Part>) {
        self.problem.inputs = Few::One(parts.into());
    }

    /// Leaves results there.
    pub(crate) fn leave_at(&mut self, offset_bytes: u64) {
        self.problem.ends.output_offsets_bytes = Some([offset_bytes, 0, 0]);
    }
}

/// No device is known that leaves loops after fewer turns: Mesa's software rasteriser does so after 65 535.
pub(crate) const LEAST_LOOP_TURNS: u32 = 65_000;

/// Panics unless every grid has workgroups, and grids, bindings and buffers are within the device's limits.
pub(crate) fn assert_within(recording: &Recording, caps: &Caps) {
    let most = caps.max_workgroups_per_dimension;
    for dispatch in recording.passes.iter().flat_map(|pass| &pass.dispatches) {
        let [x, y, planes] = dispatch.grid;
        assert!(x >= 1 && y >= 1, "an empty grid: {dispatch:?}");
        assert!(x.max(y).max(planes) <= most, "{dispatch:?} where {most} are allowed");
        for bytes in dispatch.bindings.iter().filter_map(|bound| bound.bytes.as_ref()) {
            let Range { start, end } = *bytes;
            assert!(start < end && end - start <= caps.max_binding_bytes, "{dispatch:?}");
            assert_eq!(start % caps.storage_alignment_bytes, 0, "{dispatch:?}");
        }
    }
    let largest = recording.scratch.iter().map(|scratch| scratch.bytes).max();
    assert!(largest.unwrap_or(0) <= caps.max_buffer_bytes, "{:?}", recording.scratch);
}

/// All of a recording that a device with such an alignment of parameters sees: of texts their hashes.
pub(crate) struct Seen<'a>(pub(crate) &'a Recording, pub(crate) u64);

impl fmt::Display for Seen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Recording { passes, scratch, zero_output, times }, alignment) = self;
        writeln!(f, "{times} times, zeroed: {zero_output}, aligned to {alignment}")?;
        for scratch in scratch {
            writeln!(f, "scratch of {} bytes, {:?}", scratch.bytes, scratch.contents)?;
        }
        for pass in passes {
            let (entry, hash) =
                (pass.shader.entry_point(), hash(&without_comments(&pass.shader.wgsl())));
            let trusted = pass.shader.is_trusted();
            let mut constants = pass.constants.clone();
            constants.sort_unstable();
            writeln!(f, "{entry} of {hash:016x}, trusted: {trusted}, {constants:?}")?;
            for dispatch in &pass.dispatches {
                writeln!(f, "  {:?} with {:?}", dispatch.grid, dispatch.parameters)?;
                let mut bindings: Vec<_> = dispatch.bindings.iter().collect();
                bindings.sort_unstable_by_key(|bound| bound.binding);
                for bound in bindings {
                    writeln!(f, "    {}: {:?} {:?}", bound.binding, bound.place, bound.bytes)?;
                }
            }
        }
        Ok(())
    }
}

/// What tells one text from another, in every release of this crate.
#[must_use]
pub fn hash(text: &str) -> u64 {
    checksum(&[text.as_bytes()])
}

/// The text without comments and empty lines, of which no compiler makes anything.
fn without_comments(wgsl: &str) -> String {
    let code = wgsl.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end());
    code.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// All that a device sees of a plan.
#[must_use]
pub fn written(plan: &Plan, caps: &Caps) -> String {
    Seen(&plan.recording, caps.uniform_alignment_bytes).to_string()
}

/// What fuzzers call.
#[cfg(feature = "followed")]
mod entries {
    use super::LEAST_LOOP_TURNS;
    use crate::plan::caps::Caps;
    use crate::plan::planned::Plan;
    use crate::plan::problem::Problem;

    /// Along an axis: each result is made of the elements along its axis, each once. Elements are followed one by one, so
    /// that this is for views of few.
    pub fn view(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
        crate::plan::shapes::axis::follow::check(problem, plan, caps);
    }

    /// Histograms of any length: every element is counted once, in its channel.
    pub fn counted(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
        crate::plan::shapes::bins::follow::check(problem, plan, caps, most_turns(caps));
    }

    /// Histograms of weights of any length: every element meets its weight, once, in its channel.
    pub fn weighted(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
        crate::plan::shapes::bins::follow_weights::check(problem, plan, caps, most_turns(caps));
    }

    /// Groups of any length: every element meets its key, once in each pass.
    pub fn grouped(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
        crate::plan::shapes::groups::follow::check(problem, plan, caps, most_turns(caps));
    }

    /// Order statistics of any length: every digit is counted of every element, once.
    pub fn ranks(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
        crate::plan::shapes::order::follow::check(problem, plan, caps, most_turns(caps));
    }

    /// Order statistics along an axis, as [`view`].
    pub fn ranks_of_rows(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
        crate::plan::shapes::axis::follow::check_ranks(problem, plan, caps);
    }

    /// Segments of any length: every element and every end has one tile, and every tile its place.
    pub fn segments(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
        crate::plan::shapes::segments::follow::check(problem, plan, caps);
    }

    /// What finds the first wrong offset of segments: whether there is a plan, which sees all of them.
    #[must_use]
    pub fn first_wrong(problem: &Problem<'_>, caps: &Caps) -> bool {
        crate::plan::shapes::segments::follow::check_first_wrong(problem, caps).is_ok()
    }

    /// The first of the problem's elements, as many as a number in a buffer says: whether there is a plan. Its first pass tells
    /// the next what that reads.
    #[must_use]
    pub fn counted_input(problem: &Problem<'_>, count_offset_bytes: u64, caps: &Caps) -> bool {
        let check = crate::plan::shapes::whole::follow::check_counted;
        check(problem, count_offset_bytes, caps).is_ok()
    }

    /// Runs of any length: every key is looked at once, and what is found has its place.
    pub fn by_key(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
        crate::plan::shapes::runs::follow::check(problem, plan, caps);
    }

    /// No device is known that leaves loops earlier.
    fn most_turns(caps: &Caps) -> u32 {
        caps.max_loop_turns.max(LEAST_LOOP_TURNS)
    }
}
