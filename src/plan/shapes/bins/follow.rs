//! Plans followed on the CPU: every element is counted once, in its channel, within the device's limits.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "it fails where something does not hold"
)]

use crate::plan::caps::Caps;
use crate::plan::followed::assert_within;
use crate::plan::planned::Plan;
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::{
    CountsParameters, Place, PlannedPass, RecordedDispatch, WindowParameters, binding,
};
use crate::plan::shapes::bins::keys::Method;
use crate::plan::shapes::bins::{Bins, HistogramTuning};
use std::ops::Range;

/// What is bound: of which input, and which bytes.
pub(crate) fn bound(dispatch: &RecordedDispatch, number: u32) -> (usize, Range<u64>) {
    let mut bindings = dispatch.bindings.iter();
    let bound = bindings.find(|bound| bound.binding == number).unwrap();
    let Place::Input(input) = bound.place else { panic!("{bound:?}") };
    (input, bound.bytes.clone().unwrap())
}

/// Consecutive elements of a part.
type Elements = (usize, Range<u64>);

/// Head, whole quads, and tail, as indices behind the binding.
pub(crate) fn ranges(of: &WindowParameters, per_quad: u32) -> [Range<u32>; 3] {
    let quads = per_quad * of.body_first..per_quad * of.body_end;
    let (head, tail) = (of.head_first, of.tail_first);
    [head..head + of.head_count, quads, tail..tail + of.tail_count]
}

/// Elements that have been read, in order.
#[derive(Default)]
pub(crate) struct Read(Vec<Elements>);

impl Read {
    /// Reads elements from `first` on of a part.
    pub(crate) fn add(&mut self, part: usize, first: u64, range: &Range<u32>) {
        let [start, end] = [range.start, range.end].map(|index| first + u64::from(index));
        match self.0.last_mut() {
            Some((last, of_last)) if *last == part && of_last.end == start => of_last.end = end,
            _ => self.0.push((part, start..end)),
        }
    }

    /// Panics unless these are all elements of the problem, each once.
    pub(crate) fn assert_all(&self, problem: &Problem<'_>, plan: &Plan) {
        let expected = problem.first().iter().enumerate().filter(|(_, part)| part.len > 0);
        let expected: Vec<Elements> = expected
            .map(|(number, part)| {
                let first = part.offset_bytes / problem.element.size_bytes();
                (number, first..first + part.len)
            })
            .collect();
        assert_eq!(self.0, expected, "{plan}");
    }
}

/// What a gathering dispatch counts, from the first element to the last, as the shader does.
struct Gathered<'a> {
    dispatch: &'a RecordedDispatch,
    per_quad: u32,
}

impl Gathered<'_> {
    fn told(&self) -> CountsParameters {
        self.dispatch.told()
    }

    /// Head, whole quads, and tail, as indices behind the binding.
    fn ranges(&self) -> [Range<u32>; 3] {
        ranges(&self.told().window, self.per_quad)
    }

    fn quads(&self) -> u64 {
        u64::from(self.told().window.body_end - self.told().window.body_first)
    }

    fn workgroups(&self) -> u32 {
        self.told().workgroups
    }

    /// What is added to an index for its channel.
    fn phase(&self) -> u32 {
        self.told().places.phase
    }

    /// Turns of the loops of the invocation that takes most of them, as `shaders/histogram/gather.wgsl` has them.
    fn turns(&self, plan: &Plan, (bins, channels): (&Bins, u32), pass: &PlannedPass) -> u64 {
        let constant = |name| {
            let mut constants = pass.constants.iter();
            constants.find(|(other, _)| *other == name).map_or(0, |&(_, value)| u64::from(value))
        };
        let HistogramTuning { workgroup_size, loads_in_flight, .. } =
            plan.tuning.histogram().unwrap();
        let (size, loads) = (u64::from(workgroup_size), u64::from(loads_in_flight));
        let edges = u64::from((bins.count() + 1).next_power_of_two().ilog2());
        let is_searched = constant("METHOD") == u64::from(Method::Searched.number());
        let search = if is_searched { edges } else { 0 };
        // The words of a quad of bytes are a loop.
        let words = if self.per_quad == 16 { 4 } else { 0 };
        let of_quad = words + u64::from(self.per_quad) * search;
        let of_tile = if loads == 4 { 1 + 4 * words + 4 * (1 + of_quad) } else { 1 + of_quad };
        let tiles = self.quads().div_ceil(u64::from(self.workgroups()) * size * loads);
        let ends = self.ranges()[0].len() as u64 + self.ranges()[2].len() as u64;
        let slots = u64::from(self.told().places.slots) * u64::from(channels);
        let of_counters = match constant("COPIES") {
            0 => 0,
            copies => constant("COUNTERS").div_ceil(size) + slots.div_ceil(size) * (1 + copies),
        };
        tiles * of_tile + ends.div_ceil(size) * (1 + search) + of_counters
    }
}

/// Checks what is bound, and who counts.
fn check_dispatch(gathered: &Gathered<'_>, plan: &Plan, caps: &Caps) {
    let (part, bytes) = bound(gathered.dispatch, binding::SOURCE);
    assert!(bytes.start.is_multiple_of(caps.storage_alignment_bytes) && bytes.end % 4 == 0);
    assert!(bytes.end - bytes.start <= caps.max_binding_bytes);
    let [_, quads, _] = gathered.ranges();
    if !quads.is_empty() {
        let (of_quads, vectors) = bound(gathered.dispatch, binding::VECTORS);
        assert_eq!((of_quads, vectors.start), (part, bytes.start));
        assert_eq!(vectors.end - vectors.start, u64::from(quads.end / gathered.per_quad) * 16);
        assert!(vectors.end <= bytes.end);
    }
    let [x, y, z] = gathered.dispatch.grid;
    let most = plan.tuning.histogram().unwrap().max_workgroups;
    assert!((1..=most).contains(&gathered.workgroups()) && z == 1);
    assert!(x.max(y) <= caps.max_workgroups_per_dimension);
    assert!(u64::from(x) * u64::from(y) >= u64::from(gathered.workgroups()));
}

/// Panics unless the plan's dispatches count the input's elements in order, none twice, each in its channel, and no loop
/// takes more turns.
pub(crate) fn check(problem: &Problem<'_>, plan: &Plan, caps: &Caps, most_turns: u32) {
    assert_within(&plan.recording, caps);
    let Shape::Bins(bins, channels) = problem.shape else { panic!("{problem:?}") };
    let element = problem.element;
    let per_quad = u32::try_from(element.per_quad()).unwrap();
    let mut counted = Read::default();
    let mut before = 0;
    let (_, gathering) = plan.recording.passes.split_last().unwrap();
    for pass in gathering {
        for dispatch in &pass.dispatches {
            let gathered = Gathered { dispatch, per_quad };
            check_dispatch(&gathered, plan, caps);
            let turns = gathered.turns(plan, (bins, channels), pass);
            assert!(turns <= u64::from(most_turns), "{turns} turns of {problem:?}");
            let (part, bytes) = bound(dispatch, binding::SOURCE);
            let first = bytes.start / element.size_bytes();
            for range in gathered.ranges().into_iter().filter(|range| !range.is_empty()) {
                let channel = (range.start + gathered.phase()) % channels;
                assert_eq!(u64::from(channel), before % u64::from(channels));
                before += range.len() as u64;
                assert!((first + u64::from(range.end)) * element.size_bytes() <= bytes.end);
                counted.add(part, first, &range);
            }
        }
    }
    counted.assert_all(problem, plan);
}
