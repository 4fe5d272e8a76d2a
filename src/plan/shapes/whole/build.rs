//! The passes of a plan.

use crate::error::{Error, Result};
use crate::op::Over;
use crate::plan::cut::part::Part;
use crate::plan::cut::source::Source;
use crate::plan::cut::window::{MAX_WINDOW_BYTES, Run, Window};
use crate::plan::recording::{Contents, PartialsParameters, Place, Scratch, shown};
use crate::plan::shapes::whole::workgroups::check_turns;
use crate::plan::shapes::whole::{
    Ending, Handover, WholeDispatch, WholePass, WholePlan, WholeRequest,
};
use crate::plan::tuning::{Combining, Tuning};
use crate::shader::variant::{Collective, Kernel, Sink, Variant};
use std::ops::Range;

impl WholePlan {
    pub(crate) fn build(
        request: &WholeRequest,
        second: Option<&[Part]>,
        (len, partials): (u64, Option<u32>),
        ending: Ending,
    ) -> Result<Self> {
        let over = request.operation.over(request.element)?;
        request.caps.check()?;
        check_turns(&request.caps)?;
        request.operation.check_len(len)?;
        request.operation.check_room(request.element, len)?;
        request.operation.check_caps(request.element, &request.caps)?;
        let accumulator_bytes = over.accumulator.size_bytes();
        let tuning = request.tuning.fitted(&request.caps, accumulator_bytes);
        tuning.validate(&request.caps, accumulator_bytes)?;
        let request = &WholeRequest { tuning, ..request.clone() };
        let first_index = ending.first_index();
        let plan = Builder {
            request,
            source: Source { request, second, first_index },
            len,
            index_end: if partials.is_none() { first_index.saturating_add(len) } else { u64::MAX },
            over,
            accumulator_bytes,
            ending,
            passes: Vec::new(),
            scratch: Vec::new(),
            roundings: 0,
        }
        .build(partials, over.accumulator.rounds())?;
        plan.recording(&request.caps).within(&request.caps)?;
        Ok(plan)
    }
}

pub(crate) struct Builder<'a> {
    pub(crate) request: &'a WholeRequest,
    source: Source<'a>,
    len: u64,
    index_end: u64,
    pub(crate) over: Over,
    pub(crate) accumulator_bytes: u64,
    ending: Ending,
    passes: Vec<WholePass>,
    scratch: Vec<Scratch>,
    roundings: u64,
}

impl Builder<'_> {
    /// Folds the elements, or so many partials that are there already.
    fn build(mut self, partials: Option<u32>, rounds: bool) -> Result<WholePlan> {
        let request = self.request;
        let partials = match partials {
            Some(count) => Some(count),
            None if self.len == 0 => Some(0),
            None => self.fold_elements()?,
        };
        if let Some(mut count) = partials {
            while let Some(left) = self.fold_partials(count)? {
                count = left;
            }
        }
        Ok(WholePlan {
            operation: request.operation,
            element: request.element,
            inputs: self.over.lifting.inputs(),
            len: self.len,
            index_end: self.index_end,
            passes: self.passes,
            scratch: self.scratch,
            tuning: request.tuning,
            roundings: if rounds { self.roundings } else { 0 },
        })
    }

    /// The first pass. Returns how many partials it leaves, or `None` if it leaves the result.
    fn fold_elements(&mut self) -> Result<Option<u32>> {
        let readings = self.source.readings(self.max_window_bytes())?;
        let workgroups = self.workgroups(&readings);
        let partials = workgroups.iter().try_fold(0_u32, |sum, &n| sum.checked_add(n));
        let partials = partials.ok_or_else(too_many_partials)?;
        let may_finish = !self.request.in_place;
        let hands_over = may_finish && partials > 1 && self.may_hand_over(partials);
        let is_last = may_finish && partials == 1 || hands_over;
        let last_slot = if is_last { self.last_slot()? } else { 0 };
        let mut first_partial = 0;
        let mut dispatches = Vec::with_capacity(readings.len());
        let mut longest_chain = 0;
        for (reading, &workgroups) in readings.into_iter().zip(&workgroups) {
            let first_slot = if is_last { last_slot } else { first_partial };
            let slots = [first_slot, first_partial, partials];
            longest_chain = self.element_chain(&reading.window, workgroups).max(longest_chain);
            dispatches.push(self.source.dispatch(reading, workgroups, slots));
            first_partial += workgroups;
        }
        self.roundings += longest_chain + self.collective_depth();
        if hands_over {
            let turns = partials.div_ceil(self.request.tuning.workgroup_size);
            self.roundings += u64::from(turns) + self.collective_depth();
        }
        let kernel = if self.source.second.is_some() { Kernel::Pairs } else { Kernel::Elements };
        self.push(kernel, dispatches, partials, is_last)
    }

    /// The counter, and the words of the partials, each with a word more for what marks take the place of.
    const fn handover_bytes(&self, partials: u32) -> u64 {
        HANDOVER_HEAD_BYTES + partials as u64 * (self.accumulator_bytes + 4)
    }

    /// Bytes of partials in one binding: whatever a device has room for, indices of their words have 32 bits.
    pub(crate) const fn most_partial_bytes(&self) -> u64 {
        let most = self.request.caps.max_binding_bytes;
        if most < MAX_WINDOW_BYTES { most } else { MAX_WINDOW_BYTES }
    }

    /// Turns that one workgroup takes at most to fold the partials of the others: each has loops over
    /// the words.
    const fn handover_turns(&self) -> u32 {
        HANDOVER_WORD_TURNS / self.over.accumulator.words()
    }

    /// Whether one workgroup of a pass can fold so many partials, and is to.
    const fn may_hand_over(&self, partials: u32) -> bool {
        let Tuning { workgroup_size, max_partials_per_workgroup, combining, .. } =
            self.request.tuning;
        matches!(self.ending, Ending::Result)
            && !matches!(combining, Combining::Passes)
            && workgroup_size >= MIN_HANDOVER_WORKGROUP
            && self.handover_bytes(partials) <= self.most_partial_bytes()
            && partials <= max_partials_per_workgroup
            && partials.div_ceil(workgroup_size) <= self.handover_turns()
    }

    /// A later pass over `count` partials. Returns how many are left, or `None` for the result.
    fn fold_partials(&mut self, count: u32) -> Result<Option<u32>> {
        let Tuning { workgroup_size, max_partials_per_workgroup, .. } = self.request.tuning;
        let most = workgroup_size.saturating_mul(self.request.caps.max_loop_turns);
        let wanted = count.div_ceil(max_partials_per_workgroup.min(most).max(2));
        let workgroups = wanted.clamp(1, self.request.caps.max_grid().min(MAX_LATER_WORKGROUPS));
        if count.div_ceil(workgroups) > most {
            return Err(Error::InvalidTuning {
                what: format!(
                    "{workgroups} workgroups of {workgroup_size} cannot fold {count} partials on this device"
                ),
            });
        }
        let is_last = workgroups == 1;
        let first_slot = if is_last { self.last_slot()? } else { 0 };
        let source = self.scratch.len().checked_sub(1).map_or(Place::Input(0), Place::Scratch);
        let bytes = u64::from(count) * self.accumulator_bytes;
        let dispatches = vec![WholeDispatch {
            workgroups,
            grid: self.request.caps.grid(workgroups),
            source,
            source_bytes: (count > 0).then_some(0..bytes),
            quad_bytes: None,
            partner: None,
            parameters: shown(&PartialsParameters { count, workgroups, first_slot }),
        }];
        let invocations = workgroups.saturating_mul(self.request.tuning.workgroup_size);
        self.roundings += u64::from(count.div_ceil(invocations)) + self.collective_depth();
        self.push(Kernel::Partials, dispatches, workgroups, is_last)
    }

    /// Adds a pass. Returns how many partials it leaves, or `None` if it leaves the result.
    fn push(
        &mut self,
        kernel: Kernel,
        dispatches: Vec<WholeDispatch>,
        partials: u32,
        is_last: bool,
    ) -> Result<Option<u32>> {
        let bytes = u64::from(partials) * self.accumulator_bytes;
        if bytes > self.most_partial_bytes() {
            return Err(too_many_partials());
        }
        let handover = (is_last && partials > 1).then(|| Handover {
            place: self.scratch(self.handover_bytes(partials), Contents::Counters),
            bytes: self.handover_bytes(partials),
        });
        let (sink, target, target_bytes) = match (is_last, &handover, self.ending) {
            (false, ..) => (Sink::Partials, self.scratch(bytes, Contents::Anything), 0..bytes),
            (true, _, Ending::Partial { slots, .. }) => {
                (Sink::Partials, Place::Output, 0..u64::from(slots) * self.accumulator_bytes)
            }
            (true, None, _) => (Sink::Result, Place::Output, self.result()?.0),
            (true, Some(_), _) => (Sink::Last, Place::Output, self.result()?.0),
        };
        let WholeRequest { collective, operation, element, .. } = *self.request;
        let over = self.over;
        let native_u64 = over.is_native_on(&self.request.caps);
        let variant = Variant { kernel, collective, operation, element, sink, native_u64, over };
        self.passes.push(WholePass { variant, target, target_bytes, handover, dispatches });
        Ok((!is_last).then_some(partials))
    }

    fn scratch(&mut self, bytes: u64, contents: Contents) -> Place {
        self.scratch.push(Scratch { bytes, contents });
        Place::Scratch(self.scratch.len() - 1)
    }

    /// What is bound of the output: the result, and what lies before it back to an offset that a
    /// binding can have. With how many results would lie there.
    fn result(&self) -> Result<(Range<u64>, u32)> {
        let offset_bytes = self.request.output_offset_bytes;
        Run { offset_bytes, len: 1, element_bytes: self.over.output_bytes }
            .bound(&self.request.caps)
    }

    /// Where in the output's binding the last pass leaves what it has, counted in what that is.
    fn last_slot(&self) -> Result<u32> {
        match self.ending {
            Ending::Partial { slot, .. } => Ok(slot),
            Ending::Result => Ok(self.result()?.1),
        }
    }

    /// Most additions of one invocation that an element passes through in `kernels/elements.wgsl` and
    /// `kernels/pairs.wgsl`.
    fn element_chain(&self, window: &Window, workgroups: u32) -> u64 {
        let tiles = u64::from(window.body_quads()).div_ceil(self.request.tuning.tile_quads());
        let turns = tiles.div_ceil(u64::from(workgroups));
        let per_quad = self.request.element.per_quad();
        let appended = per_quad.div_ceil(4);
        let in_four = u64::from(per_quad.min(4).ilog2());
        let in_tile = appended * u64::from(self.request.tuning.loads_in_flight) - 1;
        let ends = u64::from(window.head.end - window.head.start)
            + u64::from(window.tail.end - window.tail.start);
        in_four + in_tile + turns + ends
    }

    /// Most additions that a value passes through in `collectives/`.
    fn collective_depth(&self) -> u64 {
        let size = self.request.tuning.workgroup_size;
        let steps = |n: u32| u64::from(n.max(1).next_power_of_two().ilog2());
        match (self.request.collective, self.request.caps.subgroups) {
            (Collective::Subgroup, Some(sizes)) => {
                let most_subgroups = size.div_ceil(sizes.min.max(1));
                2 * steps(sizes.max) + u64::from(most_subgroups.div_ceil(sizes.min.max(1)))
            }
            // Subgroups of a size that nothing is known of: at worst, of one invocation.
            (Collective::Subgroup, None) => 2 * steps(size) + u64::from(size),
            (Collective::Workgroup, _) => steps(size),
        }
    }
}

/// Smaller workgroups may not fill a subgroup, and there Mesa's llvmpipe ends loops early that have
/// loops in them.
const MIN_HANDOVER_WORKGROUP: u32 = 32;

/// A later pass has fewer partials than that would keep busy, and with the largest workgroups its invocations are
/// still numbered far within 32 bits.
const MAX_LATER_WORKGROUPS: u32 = 1 << 16;

/// Words of others' partials that one invocation takes at most.
pub(crate) const HANDOVER_WORD_TURNS: u32 = 2000;

/// Where `sinks/last.wgsl` has its counter; the partials' marked words follow.
const HANDOVER_HEAD_BYTES: u64 = 256;

fn too_many_partials() -> Error {
    Error::InvalidTuning {
        what: "so many workgroups leave more partials than one binding holds".into(),
    }
}
