//! What groups run.

use crate::error::Result;
use crate::op::merging::Merging;
use crate::op::{ElementKind, Mean, NanSum, OpRecord, Operation, Over, Sum, SumExact};
use crate::plan::caps::Caps;
use crate::plan::cut::beside::{BesideWindow, split_beside};
use crate::plan::cut::bound::bound;
use crate::plan::cut::part::len_of;
use crate::plan::cut::window::{QUAD_BYTES, WORD_BYTES};
use crate::plan::folding::Folding;
use crate::plan::geometry::largest_power_of_two;
use crate::plan::limits::unsupported;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, Constants, Contents, GroupsFinishParameters, GroupsParameters, GroupsSampleParameters,
    Parameters, Place, PlannedPass, RecordedDispatch, Recording, Scratch, binding, low_word,
};
use crate::plan::shapes::bins::{HistogramTuning, counters};
use crate::plan::shapes::groups::key::Grouped;
use crate::plan::shapes::groups::layout::Layout;
use crate::plan::shapes::groups::shader::{GroupsParts, GroupsShader, Slots};
use crate::shader::Shader;
use std::ops::Range;

/// Most groups.
const MOST_GROUPS: u32 = 1 << 24;

/// Elements that an invocation loads before it uses the first, as in `groups/gather.wgsl`.
const LOADS: u32 = 4;

/// Words before the first slot of the totals, as in `groups/slots/words.wgsl`.
const NOTED_WORDS: u32 = 4;

/// Most slots of groups that come first, and least, which is as good as none.
const MOST_SLOTS: u32 = 1024;
const LEAST_SLOTS: u32 = 2;

/// Turns for each word of a workgroup's slots, at most: words are cleared, opened, put together and handed over.
const OF_SLOTS: u64 = 9;

/// Elements of a sample, at most.
const SAMPLES: u32 = 4096;

/// Scratch buffers behind the totals.
const PLACE_SCRATCH: usize = 1;
const REPORT_SCRATCH: usize = 2;

/// What is beside an accumulator, as in `groups/slots/words.wgsl`.
const NOTHING: u32 = 0;
const A_COUNT: u32 = 1;
const A_SIGN: u32 = 2;

/// What an operation does with the elements of groups: where the order of additions would matter, sums are exact.
///
/// # Errors
///
/// [`Error::NotDefined`] where the operation does not take elements of the type, [`Error::Unsupported`] where its accumulators are not
/// merged word by word.
pub(crate) fn over_of(
    operation: &'static OpRecord,
    element: ElementKind,
) -> Result<(Over, Merging)> {
    let mut over = operation.over(element)?;
    let is_sum =
        [Operation::<f32>::record(&Sum), Operation::<f32>::record(&NanSum)].contains(&operation);
    if is_sum && element.number().is_float() {
        over = Operation::<f32>::record(&SumExact).over(element)?;
    }
    let law = over.merging.ok_or_else(|| {
        let name = operation.name();
        let is_mean = operation == Operation::<f32>::record(&Mean);
        let instead = if is_mean { ", but `mean_exact`" } else { "" };
        unsupported(format!("{name} of {element} elements by groups{instead}"))
    })?;
    Ok((over, law))
}

/// Plans a problem whose elements have keys.
pub(crate) fn lower(problem: &Problem<'_>, grouped: Grouped<'_>, caps: &Caps) -> Result<Plan> {
    let element = problem.element;
    let Folding::Operation { operation, .. } = Folding::of(problem.fold, element)? else {
        return Err(unsupported("custom operators by groups"));
    };
    let parts = GroupsParts::of(operation, element)?;
    let tuning = problem.tuning(|| HistogramTuning::for_weights(caps))?;
    caps.check()?;
    tuning.validate(caps)?;
    if grouped.groups > MOST_GROUPS {
        let groups = grouped.groups;
        return Err(unsupported(format!(
            "{groups} groups, of which there are {MOST_GROUPS} at most"
        )));
    }
    let len = len_of(problem.first());
    let most = if parts.law == Merging::Digits { 1 << 31 } else { u64::from(u32::MAX) };
    if len >= most {
        return Err(unsupported(format!("{len} elements by groups, which take fewer than {most}")));
    }
    Planner { problem, grouped, parts, tuning, caps, len }.plan()
}

/// The slots of a workgroup, and their words.
#[derive(Debug, Clone, Copy)]
struct Own {
    slots: u32,
    words: u32,
    /// Copies of a slot for every group; `None` where slots are those of the groups that come first.
    copies: Option<u32>,
}

struct Planner<'a> {
    problem: &'a Problem<'a>,
    grouped: Grouped<'a>,
    parts: GroupsParts,
    tuning: HistogramTuning,
    caps: &'a Caps,
    len: u64,
}

impl Planner<'_> {
    fn plan(self) -> Result<Plan> {
        let Self { problem, grouped, parts, tuning, caps, len } = self;
        let totals = self.totals()?;
        let own = self.own()?;
        let mut passes = Vec::new();
        let windows = self.windows(own)?;
        if parts.law == Merging::Digits {
            passes.extend(windows.first().map(|first| self.sample(first)));
        }
        let dispatches = self.dispatches(windows, &totals);
        for round in 0..if dispatches.is_empty() { 0 } else { self.rounds() } {
            let slots = if own.copies.is_some() { Slots::Copies } else { Slots::FirstCome };
            passes.push(PlannedPass {
                shader: Shader::Groups(GroupsShader::Merge(parts, slots)),
                constants: self.constants(own, round),
                dispatches: dispatches.clone(),
            });
        }
        let (finish, layout, scratch) = self.finish(&totals)?;
        passes.push(finish);
        let element_bytes = problem.element.size_bytes();
        let recording = Recording { passes, scratch, ..Recording::new() };
        Ok(Plan {
            operation: parts.operation.name(),
            element: problem.element,
            inputs: 1,
            len,
            results: grouped.groups.into(),
            roundings: 0,
            tuning: tuning.into(),
            input_bytes: len.saturating_mul(element_bytes + grouped.key_bytes),
            result_bytes: parts.over.output_bytes,
            loads_in_flight: 0,
            outputs: Outputs::Groups(layout),
            recording: recording.within(caps)?,
        })
    }

    /// How often elements are gone through: once for each word of a key.
    fn rounds(&self) -> u32 {
        let [keys, key_words, index_words] = self.keys();
        if keys == 0 { 1 } else { key_words + index_words / 2 }
    }

    /// Keys of an accumulator, words of each, and words of an index before them.
    fn keys(&self) -> [u32; 3] {
        let words = self.parts.over.accumulator.words();
        match self.parts.law {
            Merging::Smallest | Merging::Largest => [1, words, 0],
            Merging::TwoSmallest => [2, words / 2, 0],
            Merging::Located => [1, words - 2, 2],
            _ => [0; 3],
        }
    }

    /// What is beside an accumulator: whether there are elements need not be told where it shows.
    fn beside(&self) -> u32 {
        match self.parts.law {
            _ if self.parts.operation.takes_none() => NOTHING,
            Merging::Located | Merging::TwoSmallest => NOTHING,
            Merging::Smallest | Merging::Largest => A_SIGN,
            _ => A_COUNT,
        }
    }

    fn slot_words(&self) -> u32 {
        self.parts.kept_words() + u32::from(self.beside() != NOTHING)
    }

    /// The slots of a workgroup.
    fn own(&self) -> Result<Own> {
        let Self { grouped, tuning, caps, len, .. } = *self;
        let of_slot = u64::from(self.slot_words());
        // A few more than groups, so that similar numbers of groups share pipelines.
        let groups = counters(grouped.groups);
        let words = groups * of_slot;
        let workgroups = u64::from(tuning.max_workgroups.min(caps.max_grid()));
        // Where groups are more than what a workgroup has of the elements, slots take longer than they save.
        let is_worth_it = u64::from(grouped.groups) * workgroups <= len.max(workgroups);
        let copies = tuning.fitting_copies(words, caps).filter(|_| is_worth_it);
        let size = u64::from(tuning.workgroup_size);
        let is_quick = |copies: &u32| {
            let turns = (words * u64::from(*copies)).div_ceil(size);
            OF_SLOTS * turns <= u64::from(caps.max_loop_turns / 2)
        };
        if let Some(copies) = copies.filter(is_quick) {
            let slots = low_word(groups) * copies;
            return Ok(Own { slots, words: low_word(words) * copies, copies: Some(copies) });
        }
        // A word more says whose each is.
        let fit = u64::from(caps.workgroup_storage_bytes) / (WORD_BYTES * (of_slot + 1));
        let most = if tuning.copies == 0 { LEAST_SLOTS } else { MOST_SLOTS };
        if fit < u64::from(LEAST_SLOTS) {
            let bytes = caps.workgroup_storage_bytes;
            return Err(unsupported(format!("groups with {bytes} bytes of workgroup memory")));
        }
        let slots = largest_power_of_two(low_word(fit).min(most));
        Ok(Own { slots, words: slots * self.slot_words(), copies: None })
    }

    fn totals(&self) -> Result<Bound> {
        let groups = u64::from(self.grouped.groups);
        let of_group = self.slot_words() + self.parts.digit_words();
        let words = u64::from(NOTED_WORDS) + groups * u64::from(of_group);
        let bytes = words * WORD_BYTES;
        if bytes > self.caps.max_binding_bytes {
            return Err(unsupported(format!("{bytes} bytes of {groups} groups in one binding")));
        }
        let place = Place::Scratch(0);
        Ok(Bound { binding: binding::ARRIVALS, place, bytes: Some(0..bytes) })
    }

    fn constants(&self, own: Own, round: u32) -> Constants {
        let [keys, key_words, _] = self.keys();
        let mut constants = self.common_constants();
        constants.push(("KEY_BYTES", low_word(self.grouped.key_bytes)));
        constants.extend([("SLOTS", own.slots), ("WORDS", own.words)]);
        constants.extend(own.copies.map(|copies| ("COPIES", copies)));
        if keys > 0 {
            constants.extend([("ROUND", round), ("KEYS", keys), ("KEY_WORDS", key_words)]);
        }
        match self.parts.law {
            Merging::AddedApart => constants.push(("APART", 2)),
            Merging::Digits => {
                let skips = self.parts.operation == Operation::<f32>::record(&NanSum);
                constants.push(("SKIPS_NAN", skips.into()));
            }
            _ => {}
        }
        constants
    }

    /// What all passes are told.
    fn common_constants(&self) -> Constants {
        let [keys, _, index_words] = self.keys();
        let mut constants =
            vec![("WORKGROUP_SIZE", self.tuning.workgroup_size), ("BESIDE", self.beside())];
        if keys > 0 {
            let is_smallest = self.parts.law != Merging::Largest;
            constants.extend([("SMALLEST", is_smallest.into()), ("INDEX_WORDS", index_words)]);
        }
        constants
    }

    /// Elements that all invocations together take before a loop has taken all the turns it may.
    fn max_elements(&self, own: Own) -> u64 {
        let Self { tuning, caps, .. } = self;
        let of_slots = OF_SLOTS * u64::from(own.words.div_ceil(tuning.workgroup_size));
        let turns = u64::from(caps.max_loop_turns).saturating_sub(of_slots);
        // Four are loaded and four merged, each word by word, and word by word of those before.
        let of_words = u64::from(self.parts.kept_words()) * (1 + u64::from(self.rounds()));
        let of_tile = 1 + u64::from(LOADS) * (2 + 2 * of_words);
        let invocations = u64::from(tuning.workgroup_size)
            * u64::from(tuning.max_workgroups.min(caps.max_grid()));
        (turns / of_tile).max(1).saturating_mul(u64::from(LOADS) * invocations)
    }

    /// The windows of elements and their keys.
    fn windows(&self, own: Own) -> Result<Vec<BesideWindow>> {
        let Self { problem, grouped, caps, .. } = self;
        let size = problem.element.size_bytes();
        let max_bytes = self.max_elements(own).saturating_mul(size);
        let parts = [problem.first(), grouped.keys];
        split_beside(parts, [size, grouped.key_bytes], caps, max_bytes)
    }

    fn dispatches(&self, windows: Vec<BesideWindow>, totals: &Bound) -> Vec<RecordedDispatch> {
        let mut before = 0;
        let dispatch = |window: BesideWindow| {
            let count = low_word(window.window.len());
            let dispatch = self.dispatch(window, before, totals);
            before += count;
            dispatch
        };
        windows.into_iter().map(dispatch).collect()
    }

    /// The dispatch of a window; so many elements come before.
    fn dispatch(&self, window: BesideWindow, before: u32, totals: &Bound) -> RecordedDispatch {
        let BesideWindow { part, window, beside_part, beside_bytes, delta } = window;
        let Self { problem, grouped, tuning, caps, .. } = self;
        let elements = window.elements();
        let most = tuning.max_workgroups.min(caps.max_grid());
        let tile = tuning.workgroup_size * LOADS;
        let workgroups = (elements.end - elements.start).div_ceil(tile).clamp(1, most);
        let [x, y] = caps.grid(workgroups);
        let parameters = GroupsParameters {
            first: elements.start,
            end: elements.end,
            delta,
            base: before.wrapping_sub(elements.start),
            workgroups,
            groups: grouped.groups,
        };
        let bound = |binding, input, bytes| Bound {
            binding,
            place: Place::Input(input),
            bytes: Some(bytes),
        };
        let keys = problem.first().len() + beside_part;
        let mut bindings = vec![
            bound(binding::SOURCE, part, window.bytes),
            bound(binding::PARTNER_WORDS, keys, beside_bytes),
            totals.clone(),
        ];
        bindings.extend(self.window_place(binding::FIRST_INPUT));
        RecordedDispatch { bindings, parameters: parameters.words(), grid: [x, y, 1] }
    }

    /// Where it is told how windows of exact sums lie.
    fn window_place(&self, binding: u32) -> Option<Bound> {
        let place = Place::Scratch(PLACE_SCRATCH);
        let is_told = self.parts.law == Merging::Digits;
        is_told.then_some(Bound { binding, place, bytes: Some(0..QUAD_BYTES) })
    }

    /// The pass that looks at some elements of the first window, for where windows of sums are to lie.
    fn sample(&self, window: &BesideWindow) -> PlannedPass {
        let Range { start: first, end } = window.window.elements();
        let workgroup_size = self.tuning.workgroup_size;
        let stride = (end - first).div_ceil(SAMPLES).max(1);
        let count = (end - first).div_ceil(stride);
        let bytes = Some(window.window.bytes.clone());
        let source = Bound { binding: binding::SOURCE, place: Place::Input(window.part), bytes };
        let bindings = [source].into_iter().chain(self.window_place(binding::TARGET)).collect();
        let parameters = GroupsSampleParameters { first, stride, count }.words();
        PlannedPass {
            shader: Shader::Groups(GroupsShader::Sample(self.parts)),
            constants: vec![("WORKGROUP_SIZE", workgroup_size)],
            dispatches: vec![RecordedDispatch { bindings, parameters, grid: [1, 1, 1] }],
        }
    }

    /// From the totals to the results; and the buffers between passes.
    fn finish(&self, totals: &Bound) -> Result<(PlannedPass, Layout, Vec<Scratch>)> {
        let Self { problem, grouped, parts, tuning, caps, .. } = self;
        let (groups, size) = (u64::from(grouped.groups), parts.over.output_bytes);
        let first = problem.output_offset_bytes();
        let target = (binding::TARGET, Place::Output);
        let (results, first_slot) = bound(caps, target, first, [groups, size])?;
        let is_for_host = problem.ends.output_offsets_bytes.is_none();
        let alignment = caps.storage_alignment_bytes.max(QUAD_BYTES);
        let layout = Layout {
            groups: grouped.groups,
            report_first: (groups * size).next_multiple_of(alignment),
            has_lengths: is_for_host && !parts.operation.takes_none(),
        };
        let total_bytes = totals.bytes.as_ref().map_or(0, |bytes| bytes.end);
        let other = Scratch { bytes: QUAD_BYTES, contents: Contents::Anything };
        let totals_scratch = Scratch { bytes: total_bytes, contents: Contents::Counters };
        // Of what is told of windows, and of a report that nobody reads.
        let scratch = vec![totals_scratch, other, other];
        let report = if is_for_host {
            let place = (binding::PARTIALS, Place::Output);
            bound(caps, place, layout.report_first, [layout.report_words(), WORD_BYTES])?.0
        } else {
            let place = Place::Scratch(REPORT_SCRATCH);
            Bound { binding: binding::PARTIALS, place, bytes: Some(0..QUAD_BYTES) }
        };
        let workgroups = grouped.groups.div_ceil(tuning.workgroup_size).clamp(1, caps.max_grid());
        let [x, y] = caps.grid(workgroups);
        let parameters = GroupsFinishParameters {
            groups: grouped.groups,
            first_slot,
            invocations: x * y * tuning.workgroup_size,
            has_lengths: layout.has_lengths.into(),
        };
        let mut bindings = vec![results, totals.clone(), report];
        bindings.extend(self.window_place(binding::FIRST_INPUT));
        let pass = PlannedPass {
            shader: Shader::Groups(GroupsShader::Finish(*parts)),
            constants: self.common_constants(),
            dispatches: vec![RecordedDispatch {
                bindings,
                parameters: parameters.words(),
                grid: [x, y, 1],
            }],
        };
        Ok((pass, layout, scratch))
    }
}
