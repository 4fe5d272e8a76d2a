//! The passes of a plan.

use crate::error::{Error, Result};
use crate::op::{OpRecord, Over};
use crate::plan::caps::Caps;
use crate::plan::cut::source::{Beside, Reading, readings};
use crate::plan::cut::window::{MAX_WINDOW_BYTES, Run, Window};
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::{
    Bound, Contents, ElementsParameters, MaskedParameters, PairsParameters, Parameters,
    PartialsParameters, Place, PlannedPass, RecordedDispatch, Recording, Scratch, binding,
    low_word,
};
use crate::plan::shapes::whole::Ending;
use crate::plan::shapes::whole::constants::constants;
use crate::plan::shapes::whole::workgroups::check_turns;
use crate::plan::tuning::{Combining, Tuning};
use crate::shader::Shader;
use crate::shader::variant::{Collective, Kernel, Sink, Variant};
use std::ops::Range;

/// Plans what folds `len` elements, or so many partials in the first buffer of the input that they have left.
pub(crate) fn build(
    problem: &Problem<'_>,
    operation: &'static OpRecord,
    (len, partials): (u64, Option<u32>),
    ending: Ending,
    caps: &Caps,
) -> Result<Plan> {
    let element = problem.element;
    let over = operation.over(element)?;
    let tuning = problem.tuning(|| Tuning::for_operation(caps, operation, element, len))?;
    caps.check()?;
    check_turns(caps)?;
    // How many elements a count leaves is not known here.
    if !matches!(problem.shape, Shape::Counted(_)) {
        operation.check_len(len)?;
    }
    operation.check_room(element, len)?;
    let accumulator_bytes = over.accumulator.size_bytes();
    let tuning = tuning.fitted(caps, accumulator_bytes);
    tuning.validate(caps, accumulator_bytes)?;
    let first_index = ending.first_index();
    // Nothing is known of the indices in partials.
    let index_end = if partials.is_none() { first_index.saturating_add(len) } else { u64::MAX };
    Builder {
        problem,
        operation,
        tuning,
        collective: Collective::for_caps(caps),
        caps,
        first_index,
        len,
        is_far: index_end > u64::from(u32::MAX),
        over,
        accumulator_bytes,
        ending,
        recording: Recording::new(),
        roundings: 0,
    }
    .build(partials)
}

pub(crate) struct Builder<'a> {
    pub(crate) problem: &'a Problem<'a>,
    operation: &'static OpRecord,
    pub(crate) tuning: Tuning,
    collective: Collective,
    pub(crate) caps: &'a Caps,
    /// Elements that come before all of these.
    first_index: u64,
    len: u64,
    /// Whether indices may need more than a word; as well, whether there are several windows, so that what is done then is
    /// nothing that large inputs alone come to.
    is_far: bool,
    pub(crate) over: Over,
    pub(crate) accumulator_bytes: u64,
    ending: Ending,
    recording: Recording,
    roundings: u64,
}

/// Where a dispatch leaves what it has folded: its first slot, the number of its first partial, and how
/// many there are of all dispatches.
type Slots = [u32; 3];

impl Builder<'_> {
    /// Folds the elements, or so many partials that are there already.
    fn build(mut self, partials: Option<u32>) -> Result<Plan> {
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
        let Self { problem, operation, tuning, caps, .. } = self;
        let counted_first = self.counted_first();
        self.recording.zero_output = counted_first.is_some();
        let element = problem.element;
        let of_mask = if problem.mask().is_some() { self.len } else { 0 };
        let inputs = self.over.lifting.inputs();
        let rounds = self.over.accumulator.rounds();
        Ok(Plan {
            operation: operation.name(),
            element,
            inputs: inputs as usize,
            len: self.len,
            results: 1,
            roundings: if rounds { self.roundings } else { 0 },
            tuning: tuning.into(),
            input_bytes: self
                .len
                .saturating_mul(inputs.into())
                .saturating_mul(element.size_bytes())
                .saturating_add(of_mask),
            result_bytes: self.over.output_bytes,
            loads_in_flight: tuning.loads_in_flight,
            outputs: counted_first
                .map_or(Outputs::Whole, |first| Outputs::Masked { count: Some(first) }),
            recording: self.recording.within(caps)?,
        })
    }

    /// The first pass. Returns how many partials it leaves, or `None` if it leaves the result.
    fn fold_elements(&mut self) -> Result<Option<u32>> {
        let (problem, most) = (self.problem, self.max_window_bytes());
        let (first, beside) = (problem.first(), problem.beside());
        let readings = readings(first, beside, problem.element.size_bytes(), self.caps, most)?;
        let counted = self.counted();
        self.is_far |= readings.len() > 1;
        let workgroups = self.workgroups(&readings);
        let partials = workgroups.iter().try_fold(0_u32, |sum, &n| sum.checked_add(n));
        let partials = partials.ok_or_else(too_many_partials)?;
        let may_finish = !self.problem.ends.in_place;
        let hands_over = may_finish && partials > 1 && self.may_hand_over(partials);
        let may_end = may_finish && partials == 1 && counted.is_none();
        let is_last = may_end || hands_over;
        let last_slot = if is_last { self.last_slot()? } else { 0 };
        let mut first_partial = 0;
        let mut dispatches = Vec::with_capacity(readings.len());
        let mut longest_chain = 0;
        for (reading, &workgroups) in readings.into_iter().zip(&workgroups) {
            let first_slot = if is_last { last_slot } else { first_partial };
            let slots = [first_slot, first_partial, partials];
            longest_chain = self.element_chain(&reading.window, workgroups).max(longest_chain);
            let mut dispatch = self.dispatch(reading, workgroups, slots);
            dispatch.bindings.extend(counted.clone());
            dispatches.push(dispatch);
            first_partial += workgroups;
        }
        self.roundings += longest_chain + self.collective_depth();
        if hands_over {
            let turns = partials.div_ceil(self.tuning.workgroup_size);
            self.roundings += u64::from(turns) + self.collective_depth();
        }
        let kernel = match beside {
            Beside::Nothing => Kernel::Elements,
            Beside::Partners(_) => Kernel::Pairs,
            Beside::Mask(_) => Kernel::Masked,
        };
        self.push(kernel, dispatches, partials, is_last)
    }

    fn dispatch(&self, reading: Reading, workgroups: u32, slots: Slots) -> RecordedDispatch {
        let Reading { bindings, window, base, delta } = reading;
        let [first_slot, first_partial, partials] = slots;
        let base = base.wrapping_add(self.first_index);
        let window = window.parameters();
        let (base_low, base_high) = (low_word(base), low_word(base >> 32));
        let parameters = match self.problem.beside() {
            Beside::Partners(_) => {
                PairsParameters { window, workgroups, first_slot, first_partial, partials, delta }
                    .words()
            }
            Beside::Nothing => ElementsParameters {
                window,
                workgroups,
                first_slot,
                first_partial,
                partials,
                base_low,
                base_high,
            }
            .words(),
            Beside::Mask(_) => MaskedParameters {
                window,
                workgroups,
                first_slot,
                first_partial,
                partials,
                base_low,
                base_high,
                delta,
            }
            .words(),
        };
        let [x, y] = self.caps.grid(workgroups);
        RecordedDispatch { bindings, parameters, grid: [x, y, 1] }
    }

    /// The counter, and the words of the partials, each with a word more for what marks take the place of.
    const fn handover_bytes(&self, partials: u32) -> u64 {
        HANDOVER_HEAD_BYTES + partials as u64 * (self.accumulator_bytes + 4)
    }

    /// Bytes of partials in one binding: whatever a device has room for, indices of their words have 32 bits.
    pub(crate) const fn most_partial_bytes(&self) -> u64 {
        let most = self.caps.max_binding_bytes;
        if most < MAX_WINDOW_BYTES { most } else { MAX_WINDOW_BYTES }
    }

    /// Turns that one workgroup takes at most to fold the partials of the others: each has loops over
    /// the words.
    const fn handover_turns(&self) -> u32 {
        HANDOVER_WORD_TURNS / self.over.accumulator.words()
    }

    /// Whether one workgroup of a pass can fold so many partials, and is to.
    const fn may_hand_over(&self, partials: u32) -> bool {
        let Tuning { workgroup_size, max_partials_per_workgroup, combining, .. } = self.tuning;
        matches!(self.ending, Ending::Result)
            && !matches!(combining, Combining::Passes)
            && workgroup_size >= MIN_HANDOVER_WORKGROUP
            && self.over.accumulator.can_be_marked()
            && self.handover_bytes(partials) <= self.most_partial_bytes()
            && partials <= max_partials_per_workgroup
            && partials.div_ceil(workgroup_size) <= self.handover_turns()
    }

    /// A later pass over `count` partials. Returns how many are left, or `None` for the result.
    fn fold_partials(&mut self, count: u32) -> Result<Option<u32>> {
        let Tuning { workgroup_size, max_partials_per_workgroup, .. } = self.tuning;
        let most = workgroup_size.saturating_mul(self.caps.max_loop_turns);
        let wanted = count.div_ceil(max_partials_per_workgroup.min(most).max(2));
        let workgroups = wanted.clamp(1, self.caps.max_grid().min(MAX_LATER_WORKGROUPS));
        if count.div_ceil(workgroups) > most {
            return Err(Error::InvalidTuning {
                what: format!(
                    "{workgroups} workgroups of {workgroup_size} cannot fold {count} partials on this device"
                ),
            });
        }
        let is_last = workgroups == 1;
        let first_slot = if is_last { self.last_slot()? } else { 0 };
        let left = self.recording.scratch.len().checked_sub(1);
        let place = left.map_or(Place::Input(0), Place::Scratch);
        let bytes = (count > 0).then_some(0..u64::from(count) * self.accumulator_bytes);
        let [x, y] = self.caps.grid(workgroups);
        let dispatches = vec![RecordedDispatch {
            bindings: vec![Bound { binding: binding::SOURCE, place, bytes }],
            parameters: PartialsParameters { count, workgroups, first_slot }.words(),
            grid: [x, y, 1],
        }];
        let invocations = workgroups.saturating_mul(self.tuning.workgroup_size);
        self.roundings += u64::from(count.div_ceil(invocations)) + self.collective_depth();
        self.push(Kernel::Partials, dispatches, workgroups, is_last)
    }

    /// Adds a pass of dispatches that lack what they write. Returns how many partials it leaves, or `None` if it leaves the result.
    fn push(
        &mut self,
        kernel: Kernel,
        mut dispatches: Vec<RecordedDispatch>,
        partials: u32,
        is_last: bool,
    ) -> Result<Option<u32>> {
        let bytes = u64::from(partials) * self.accumulator_bytes;
        if bytes > self.most_partial_bytes() {
            return Err(too_many_partials());
        }
        // Where workgroups count themselves in and leave their partials, for one of them to fold.
        let handover = (is_last && partials > 1).then(|| {
            let bytes = self.handover_bytes(partials);
            let place = self.scratch(bytes, Contents::Counters);
            Bound { binding: binding::PARTIALS, place, bytes: Some(0..bytes) }
        });
        let (sink, place, bytes) = match (is_last, &handover, self.ending) {
            (false, ..) => (Sink::Partials, self.scratch(bytes, Contents::Anything), 0..bytes),
            (true, _, Ending::Partial { slots, .. }) => {
                (Sink::Partials, Place::Output, 0..u64::from(slots) * self.accumulator_bytes)
            }
            (true, None, _) => (Sink::Result, Place::Output, self.result()?.0),
            (true, Some(_), _) => (Sink::Last, Place::Output, self.result()?.0),
        };
        let target = Bound { binding: binding::TARGET, place, bytes: Some(bytes) };
        for dispatch in &mut dispatches {
            dispatch.bindings.push(target.clone());
            dispatch.bindings.extend(handover.clone());
        }
        let &mut Self { problem, operation, collective, over, .. } = self;
        let element = problem.element;
        let native = over.is_native_on(self.caps);
        let variant = Variant { kernel, collective, operation, element, sink, native, over };
        let constants = constants(&self.tuning, self.caps, variant, self.is_far);
        let shader = Shader::Reduction(variant);
        self.recording.passes.push(PlannedPass { shader, constants, dispatches });
        Ok((!is_last).then_some(partials))
    }

    pub(crate) fn scratch(&mut self, bytes: u64, contents: Contents) -> Place {
        self.recording.scratch.push(Scratch { bytes, contents });
        Place::Scratch(self.recording.scratch.len() - 1)
    }

    /// What is bound of the output: the result, and what lies before it back to an offset that a
    /// binding can have. With how many results would lie there.
    fn result(&self) -> Result<(Range<u64>, u32)> {
        let offset_bytes = self.problem.output_offset_bytes();
        Run { offset_bytes, len: 1, element_bytes: self.over.output_bytes }.bound(self.caps)
    }

    /// Where in the output's binding the last pass leaves what it has, counted in what that is.
    fn last_slot(&self) -> Result<u32> {
        match self.ending {
            Ending::Partial { slot, .. } => Ok(slot),
            Ending::Result => Ok(self.result()?.1),
        }
    }

    /// Most additions of one invocation that an element passes through in `kernels/elements.wgsl`,
    /// `kernels/pairs.wgsl` and `kernels/masked.wgsl`.
    fn element_chain(&self, window: &Window, workgroups: u32) -> u64 {
        let tiles = u64::from(window.body_quads()).div_ceil(self.tuning.tile_quads());
        let turns = tiles.div_ceil(u64::from(workgroups));
        let per_quad = self.problem.element.per_quad();
        let loads = u64::from(self.tuning.loads_in_flight);
        let (in_four, in_tile) = if self.problem.mask().is_some() {
            (0, per_quad * loads)
        } else {
            (u64::from(per_quad.min(4).ilog2()), per_quad.div_ceil(4) * loads - 1)
        };
        let ends = u64::from(window.head.end - window.head.start)
            + u64::from(window.tail.end - window.tail.start);
        in_four + in_tile + turns + ends
    }

    /// Most additions that a value passes through in `collectives/`.
    fn collective_depth(&self) -> u64 {
        let size = self.tuning.workgroup_size;
        let steps = |n: u32| u64::from(n.max(1).next_power_of_two().ilog2());
        match (self.collective, self.caps.subgroups) {
            (Collective::Subgroup, Some(sizes)) => {
                let most_subgroups = size.div_ceil(sizes.min.max(1));
                2 * steps(sizes.max) + u64::from(most_subgroups.div_ceil(sizes.min.max(1)))
            }
            _ => steps(size),
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
