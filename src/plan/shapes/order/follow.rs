//! Plans followed on the CPU: every digit is counted of every element, once, within the device's limits.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "it fails where something does not hold"
)]

use super::shader::unused_bits;
use crate::plan::caps::Caps;
use crate::plan::followed::assert_within;
use crate::plan::planned::Plan;
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, ChoiceParameters, DigitsParameters, Place, PlannedPass, RecordedDispatch, binding,
};
use crate::plan::shapes::bins::follow::{Read, bound, ranges};

/// A dispatch that counts, and what it is compiled with.
struct Counting<'a> {
    dispatch: &'a RecordedDispatch,
    pass: &'a PlannedPass,
    per_quad: u32,
}

impl Counting<'_> {
    fn told(&self) -> DigitsParameters {
        self.dispatch.told()
    }

    fn constant(&self, name: &str) -> u64 {
        let mut constants = self.pass.constants.iter();
        constants.find(|(other, _)| *other == name).map_or(0, |&(_, value)| value.into())
    }

    /// Turns of the loops of the invocation that takes most of them, as `shaders/order/gather.wgsl` has them.
    fn turns(&self) -> u64 {
        let (size, loads) = (self.constant("WORKGROUP_SIZE"), self.constant("LOADS"));
        let [ranks, counters] = ["RANKS", "COUNTERS"].map(|name| self.constant(name));
        let told = self.told();
        let search = u64::from(ranks.next_power_of_two().ilog2());
        // The words of a quad of bytes are a loop.
        let words = if self.per_quad == 16 { 4 } else { 0 };
        let of_quad = 1 + words + u64::from(self.per_quad) * search;
        let quads = u64::from(told.window.body_end - told.window.body_first);
        let tiles = quads.div_ceil(u64::from(told.workgroups) * size * loads);
        let ends = u64::from(told.window.head_count + told.window.tail_count);
        let slots = ranks << told.bits;
        let of_counters = counters.div_ceil(size) + ranks.div_ceil(size);
        let of_slots = slots.div_ceil(size);
        tiles * (1 + loads * of_quad) + ends.div_ceil(size) * (1 + search) + of_counters + of_slots
    }
}

fn place(dispatch: &RecordedDispatch, number: u32) -> &Bound {
    dispatch.bound(number).unwrap()
}

/// Panics unless the dispatches of a pass count the digit above `end` of each element once; where it ends, and what it counts in.
fn check_counting(
    (problem, plan, caps): (&Problem<'_>, &Plan, &Caps),
    (pass, known): (&PlannedPass, &Place),
    end: u32,
    most_turns: u32,
) -> (u32, Bound) {
    let per_quad = u32::try_from(problem.element.per_quad()).unwrap();
    let (mut read, mut shift) = (Read::default(), end);
    for dispatch in &pass.dispatches {
        let counting = Counting { dispatch, pass, per_quad };
        let told = counting.told();
        assert_eq!(told.shift + told.bits, end, "{plan}");
        shift = told.shift;
        assert_eq!(u64::from(told.ranks), plan.results);
        let slots = counting.constant("RANKS") << told.bits;
        assert!(counting.constant("COUNTERS") >= slots, "{plan}");
        let totals = place(dispatch, binding::ARRIVALS);
        let Place::Scratch(number) = totals.place else { panic!("{plan}") };
        let words = 1 + counting.constant("CARRIES");
        let bytes = totals.bytes.clone().unwrap();
        assert!(bytes == (0..4 * words * slots) && bytes.end <= plan.scratch()[number].bytes);
        assert_eq!(&place(dispatch, binding::FIRST_INPUT).place, known);
        let turns = counting.turns();
        assert!(turns <= most_turns.into(), "{turns} turns of {problem:?}");
        let [x, y, _] = dispatch.grid;
        assert!(u64::from(x) * u64::from(y) >= told.workgroups.into() && told.workgroups > 0);
        let (part, bytes) = bound(dispatch, binding::SOURCE);
        assert!(bytes.start.is_multiple_of(caps.storage_alignment_bytes));
        let first = bytes.start / problem.element.size_bytes();
        for range in ranges(&told.window, per_quad).iter().filter(|range| !range.is_empty()) {
            let end = (first + u64::from(range.end)) * problem.element.size_bytes();
            assert!(end <= bytes.end, "{plan}");
            read.add(part, first, range);
        }
    }
    read.assert_all(problem, plan);
    (shift, place(&pass.dispatches[0], binding::ARRIVALS).clone())
}

/// Panics unless each pass that counts a digit is followed by one that chooses it, until keys are known.
pub(crate) fn check(problem: &Problem<'_>, plan: &Plan, caps: &Caps, most_turns: u32) {
    assert_within(&plan.recording, caps);
    let top = if problem.element.size_bytes() == 8 { 64 } else { 32 };
    let (mut end, mut known) = (top, Place::Input(problem.first().len()));
    let passes = plan.passes();
    assert!(passes.len().is_multiple_of(2) && !passes.is_empty(), "{plan}");
    for (number, pair) in passes.chunks(2).enumerate() {
        let (shift, totals) =
            check_counting((problem, plan, caps), (&pair[0], &known), end, most_turns);
        let [choosing] = &pair[1].dispatches[..] else { panic!("{plan}") };
        let told: ChoiceParameters = choosing.told();
        let is_last = 2 * number + 2 == passes.len();
        assert_eq!((told.shift, told.shift + told.bits), (shift, end), "{plan}");
        assert_eq!((told.is_last != 0, u64::from(told.count)), (is_last, plan.results));
        let [x, y, _] = choosing.grid;
        let workgroups = u64::from(told.workgroups);
        assert!(workgroups > 0 && u64::from(x) * u64::from(y) >= workgroups, "{plan}");
        let counted = place(choosing, binding::FIRST_INPUT);
        assert_eq!((counted.place, &counted.bytes), (totals.place, &totals.bytes));
        let next =
            passes.get(2 * number + 2).map(|pass| place(&pass.dispatches[0], binding::ARRIVALS));
        let cleared = next.map(|next| next.bytes.clone().unwrap().end / 4);
        assert_eq!(u64::from(told.cleared), cleared.unwrap_or(0), "{plan}");
        assert!(next.is_none_or(|next| next == place(choosing, binding::ARRIVALS)), "{plan}");
        assert!(next.is_none_or(|next| next.place != totals.place), "{plan}");
        assert_eq!(place(choosing, binding::SOURCE).place, known);
        let target = place(choosing, binding::TARGET).place;
        assert!(target != known && (target == Place::Output) == is_last, "{plan}");
        (end, known) = (shift, target);
    }
    assert_eq!(end, unused_bits(problem.element), "{plan}");
    assert_eq!(plan.table().len() as u64, 4 * plan.results);
}
