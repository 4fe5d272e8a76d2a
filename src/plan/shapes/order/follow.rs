//! Plans followed on the CPU: every digit is counted of every element, once, within the device's limits.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "it fails where something does not hold"
)]

use super::shader::{OrderShader, Ranking, unused_bits};
use crate::plan::caps::Caps;
use crate::plan::followed::assert_within;
use crate::plan::planned::Plan;
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, ChoiceParameters, DigitsParameters, Place, PlannedPass, RecordedDispatch,
    SampleParameters, SettleParameters, binding,
};
use crate::plan::shapes::bins::follow::{Read, bound, ranges};
use crate::shader::Shader;

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
        let [ranks, edges, counters] =
            ["RANKS", "EDGES", "COUNTERS"].map(|name| self.constant(name));
        let ranks = ranks.max(edges).max(1);
        let told = self.told();
        let search = u64::from(ranks.next_power_of_two().ilog2());
        // The words of a quad of bytes are a loop.
        let words = if self.per_quad == 16 { 4 } else { 0 };
        let marks = match self.pass.shader {
            Shader::Order(OrderShader::Gather(..)) => 0,
            _ => u64::from(self.per_quad),
        };
        let of_quad = 1 + words + u64::from(self.per_quad) * search + marks;
        let quads = u64::from(told.window.body_end - told.window.body_first);
        let tiles = quads.div_ceil(u64::from(told.workgroups) * size * loads);
        let ends = u64::from(told.window.head_count + told.window.tail_count);
        let slots = if edges > 0 { 32 * (1 + edges) } else { ranks << told.bits };
        let of_counters = counters.div_ceil(size) + ranks.div_ceil(size);
        let of_slots = slots.div_ceil(size);
        tiles * (1 + loads * of_quad) + ends.div_ceil(size) * (1 + search) + of_counters + of_slots
    }
}

fn place(dispatch: &RecordedDispatch, number: u32) -> &Bound {
    dispatch.bound(number).unwrap()
}

/// What is followed, and the most turns of an invocation.
#[derive(Clone, Copy)]
struct Followed<'a> {
    problem: &'a Problem<'a>,
    plan: &'a Plan,
    caps: &'a Caps,
    most_turns: u32,
    ranks: u64,
}

impl<'a> Followed<'a> {
    const fn ranks(&self) -> u64 {
        self.ranks
    }

    /// Whether ranks are of numbers alone, of which the first pass counts the others.
    fn counts_nan(&self) -> bool {
        let is_told = |pass: &PlannedPass| {
            let numbers = OrderShader::Choose(self.problem.element, Ranking::Numbers);
            pass.shader == Shader::Order(numbers)
        };
        self.plan.passes().iter().any(is_told)
    }

    /// Panics unless the dispatches of a pass read each element once, and are told where it stands.
    fn check_reading(&self, pass: &PlannedPass) {
        let Self { problem, plan, caps, most_turns, .. } = *self;
        let (size, per_quad) = (problem.element.size_bytes(), problem.element.per_quad());
        let per_quad = u32::try_from(per_quad).unwrap();
        let mut read = Read::default();
        for dispatch in &pass.dispatches {
            let counting = Counting { dispatch, pass, per_quad };
            let told = counting.told();
            let turns = counting.turns();
            assert!(turns <= most_turns.into(), "{turns} turns of {problem:?}");
            let [x, y, _] = dispatch.grid;
            assert!(u64::from(x) * u64::from(y) >= told.workgroups.into() && told.workgroups > 0);
            let (part, bytes) = bound(dispatch, binding::SOURCE);
            assert!(bytes.start.is_multiple_of(caps.storage_alignment_bytes));
            let first = bytes.start / size;
            let before: u64 = problem.first().iter().take(part).map(|part| part.len).sum();
            let of_part = problem.first()[part].offset_bytes / size;
            let base = u64::from(told.base_high) << 32 | u64::from(told.base_low);
            assert_eq!(base, before.wrapping_add(first).wrapping_sub(of_part), "{plan}");
            for range in ranges(&told.window, per_quad).iter().filter(|range| !range.is_empty()) {
                let end = (first + u64::from(range.end)) * size;
                assert!(end <= bytes.end, "{plan}");
                read.add(part, first, range);
            }
        }
        read.assert_all(problem, plan);
    }

    /// Panics unless a pass counts the digit above `end`; where it ends, and what it counts in.
    fn check_counting(&self, pass: &PlannedPass, known: Known, end: u32) -> (u32, Bound) {
        let plan = self.plan;
        self.check_reading(pass);
        let mut shift = end;
        for dispatch in &pass.dispatches {
            let counting = Counting { dispatch, pass, per_quad: 0 };
            let told = counting.told();
            assert_eq!(told.shift + told.bits, end, "{plan}");
            shift = told.shift;
            assert_eq!(u64::from(told.ranks), self.ranks());
            let nans = counting.constant("COUNTS_NAN");
            let is_first_digit = counting.constant("IS_FIRST") != 0 && !is_of_places(pass);
            assert_eq!(nans != 0, is_first_digit && self.counts_nan(), "{plan}");
            let slots = (counting.constant("RANKS").max(1) << told.bits) + nans;
            assert!(counting.constant("COUNTERS") >= slots, "{plan}");
            let totals = place(dispatch, binding::ARRIVALS);
            let Place::Scratch(number) = totals.place else { panic!("{plan}") };
            let words = 1 + counting.constant("CARRIES");
            let bytes = totals.bytes.clone().unwrap();
            assert!(bytes == (0..4 * words * slots) && bytes.end <= plan.scratch()[number].bytes);
            known.check(dispatch);
        }
        (shift, place(&pass.dispatches[0], binding::ARRIVALS).clone())
    }

    /// Panics unless a pass finds the digit that another has counted, and clears the totals of the next; where it leaves what is known.
    fn check_choosing(
        &self,
        pass: &PlannedPass,
        (known, totals): (Known, &Bound),
        (end, shift): (u32, u32),
        next: Option<&PlannedPass>,
    ) -> Place {
        let plan = self.plan;
        let [choosing] = &pass.dispatches[..] else { panic!("{plan}") };
        let told: ChoiceParameters = choosing.told();
        assert_eq!((told.shift, told.shift + told.bits), (shift, end), "{plan}");
        assert_eq!((told.is_last != 0, u64::from(told.count)), (next.is_none(), self.ranks()));
        let [x, y, _] = choosing.grid;
        let workgroups = u64::from(told.workgroups);
        assert!(workgroups > 0 && u64::from(x) * u64::from(y) >= workgroups, "{plan}");
        let counted = place(choosing, binding::FIRST_INPUT);
        assert_eq!((counted.place, &counted.bytes), (totals.place, &totals.bytes));
        let next = next.map(|pass| place(&pass.dispatches[0], binding::ARRIVALS));
        let cleared = next.map(|next| next.bytes.clone().unwrap().end / 4);
        assert_eq!(u64::from(told.cleared), cleared.unwrap_or(0), "{plan}");
        assert!(next.is_none_or(|next| next == place(choosing, binding::ARRIVALS)), "{plan}");
        assert!(next.is_none_or(|next| next.place != totals.place), "{plan}");
        assert_eq!(place(choosing, binding::SOURCE).place, known.ranks);
        let target = place(choosing, binding::TARGET).place;
        assert!(target != known.ranks && Some(target) != known.key, "{plan}");
        assert_eq!(target == Place::Output, next.is_none(), "{plan}");
        target
    }

    /// Panics unless there is room behind what is known of ranks for how many numbers there are.
    fn check_counted(&self, passes: &[PlannedPass]) {
        let choosing = passes.iter().skip(1).step_by(2).flat_map(|pass| &pass.dispatches);
        let states = choosing.flat_map(|dispatch| {
            [binding::SOURCE, binding::TARGET].map(|number| place(dispatch, number).clone())
        });
        let is_state = |bound: &Bound| bound.place != Place::Output;
        let needed = 16 * (self.ranks() + u64::from(self.counts_nan()));
        for state in states.filter(is_state) {
            assert_eq!(state.bytes, Some(0..needed), "{}", self.plan);
        }
        if self.counts_nan() {
            let key_bytes = self.problem.element.size_bytes().max(4);
            assert_eq!(self.plan.result_bytes, self.ranks() * key_bytes + 8);
        }
    }

    /// Panics unless elements are kept of all, and ranks are settled then; the passes that follow, and where ranks are.
    fn check_sifting(&mut self) -> (&'a [PlannedPass], Place) {
        let passes = self.plan.passes();
        let is_sifted =
            |pass: &PlannedPass| matches!(pass.shader, Shader::Order(OrderShader::Sifted(_)));
        let at = passes.iter().position(is_sifted).unwrap();
        let [sifted, settle, rest @ ..] = &passes[at..] else { panic!("{}", self.plan) };
        self.check_reading(sifted);
        let kept = place(&sifted.dispatches[0], binding::TARGET).clone();
        self.check_sample(&passes[..at], (&kept, sifted));
        self.check_regions(sifted, &kept);
        let [settle] = &settle.dispatches[..] else { panic!("{}", self.plan) };
        self.ranks = place(settle, binding::SOURCE).bytes.clone().unwrap().end / 16;
        let told: SettleParameters = settle.told();
        assert_eq!((u64::from(told.len), u64::from(told.count)), (self.plan.len, self.ranks));
        assert_eq!(place(settle, binding::PARTIALS).place, kept.place);
        (rest, place(settle, binding::TARGET).place)
    }

    /// Panics unless a sample lies within windows and what is kept, and all its digits are counted.
    fn check_sample(&self, passes: &[PlannedPass], (kept, sifted): (&Bound, &PlannedPass)) {
        let size = self.problem.element.size_bytes();
        let mut end = None;
        for (dispatch, window) in passes[0].dispatches.iter().zip(&sifted.dispatches) {
            let (told, window): (SampleParameters, DigitsParameters) =
                (dispatch.told(), window.told());
            let quads = window.window.body_end - window.window.body_first;
            assert!(told.step > 0 && u64::from(told.step) * u64::from(told.count) <= quads.into());
            assert_eq!(
                (told.body_first, told.first),
                (window.window.body_first, end.unwrap_or(told.first))
            );
            end = Some(told.first + told.count * u32::try_from(size / 4).unwrap());
        }
        let counted = place(&passes[1].dispatches[0], binding::SOURCE);
        assert_eq!(counted.bytes.clone().unwrap().end, 4 * u64::from(end.unwrap()));
        assert!(
            counted.place == kept.place
                && counted.bytes.clone().unwrap().end <= kept.bytes.clone().unwrap().end
        );
        let mut shift = u32::try_from(8 * size).unwrap();
        for choosing in passes[1..].iter().skip(1).step_by(2) {
            let told: ChoiceParameters = choosing.dispatches[0].told();
            assert_eq!(told.shift + told.bits, shift, "{}", self.plan);
            shift = told.shift;
        }
        assert_eq!(shift, 0, "{}", self.plan);
    }

    /// Panics unless regions lie one behind another, and what workgroups share behind them.
    fn check_regions(&self, sifted: &PlannedPass, kept: &Bound) {
        let constants = sifted.constants.iter();
        let index: u32 =
            constants.filter(|(name, _)| *name == "INDEX_WORDS").map(|(_, words)| words).sum();
        let entry = self.problem.element.size_bytes() / 4 + u64::from(index);
        let mut end = 0;
        for dispatch in &sifted.dispatches {
            let told: DigitsParameters = dispatch.told();
            assert!(u64::from(told.kept_first) >= end && told.kept_first >= 12, "{}", self.plan);
            let region = 1 + u64::from(told.kept_room) * entry;
            end = u64::from(told.kept_first) + u64::from(told.workgroups) * region;
            assert!(u64::from(told.spilled_first) >= end, "{}", self.plan);
            let spilled = u64::from(told.spilled_room) * entry;
            let all = 4 * (u64::from(told.spilled_first) + spilled);
            assert!(all <= kept.bytes.clone().unwrap().end, "{}", self.plan);
        }
        let scratch: u64 = self.plan.scratch().iter().map(|scratch| scratch.bytes).sum();
        assert!(scratch <= self.plan.input_bytes / 8 + (1 << 20), "{}", self.plan);
    }

    /// Panics unless a pass leaves so many elements as come back.
    fn check_leaving(&self, pass: &PlannedPass, known: Known) {
        self.check_reading(pass);
        for dispatch in &pass.dispatches {
            let told: DigitsParameters = dispatch.told();
            assert_eq!(u64::from(told.ranks), self.plan.results);
            let results = place(dispatch, binding::TARGET);
            let bytes = results.bytes.clone().unwrap();
            assert_eq!(results.place, Place::Output);
            let needed = 4 * u64::from(told.first) + 16 * self.plan.results;
            assert_eq!(bytes.end - bytes.start, needed, "{}", self.plan);
            assert_eq!(place(dispatch, binding::ARRIVALS).bytes, Some(0..4));
            known.check(dispatch);
        }
    }
}

/// Where what is known lies.
#[derive(Clone, Copy)]
struct Known {
    ranks: Place,
    /// While indices are sought.
    key: Option<Place>,
}

impl Known {
    fn check(self, dispatch: &RecordedDispatch) {
        assert_eq!(place(dispatch, binding::FIRST_INPUT).place, self.ranks);
        let key = dispatch.bound(binding::FIRST_INPUT + 1).map(|bound| bound.place);
        assert_eq!(key, self.key);
    }
}

fn is_of_places(pass: &PlannedPass) -> bool {
    matches!(pass.shader, Shader::Order(OrderShader::Places(..)))
}

/// Panics unless each pass that counts a digit is followed by one that chooses it, until keys are known, and indices if they are wanted.
pub(crate) fn check(problem: &Problem<'_>, plan: &Plan, caps: &Caps, most_turns: u32) {
    assert_within(&plan.recording, caps);
    let mut followed = Followed { problem, plan, caps, most_turns, ranks: 0 };
    followed.ranks = plan.table().len() as u64 / 4 - u64::from(followed.counts_nan());
    let mut end = if problem.element.size_bytes() == 8 { 64 } else { 32 };
    let mut known = Known { ranks: Place::Input(problem.first().len()), key: None };
    let mut passes = plan.passes();
    let first = passes.first().map(|pass| &pass.shader);
    if let Some(Shader::Order(OrderShader::Sample(_))) = first {
        (passes, known.ranks) = followed.check_sifting();
    }
    let of_digits = passes;
    let mut lowest = unused_bits(problem.element);
    while let [counting, choosing, rest @ ..] = passes {
        if is_of_places(counting) && known.key.is_none() {
            assert_eq!(end, lowest, "{plan}");
            (end, lowest) = (64 - (plan.len - 1).leading_zeros(), 0);
            known.key = Some(known.ranks);
        }
        let (shift, totals) = followed.check_counting(counting, known, end);
        let of_digit = (end, shift);
        known.ranks = followed.check_choosing(choosing, (known, &totals), of_digit, rest.first());
        (end, passes) = (shift, rest);
    }
    assert_eq!(end, lowest, "{plan}");
    if let [leaving] = passes {
        assert!(known.key.is_some() || plan.len == 1, "{plan}");
        known.key = known.key.or(Some(known.ranks));
        followed.check_leaving(leaving, known);
    } else {
        let results = if followed.counts_nan() { 1 } else { followed.ranks() };
        assert_eq!(results, plan.results, "{plan}");
        followed.check_counted(of_digits);
    }
}
