//! Elements that can have the wanted ranks, kept before digits are counted: those between bounds that a sample gives.

use super::digits::{key_bytes, search_turns};
use super::plan::{Lowered, Placed, Planner, STATE_BYTES, Step, Target, steps};
use super::shader::{OrderShader, Ranking, is_sifted as has_sifted_keys};
use super::sought::Sought;
use crate::error::Result;
use crate::op::element::ElementKind;
use crate::op::ranks::Extent;
use crate::plan::caps::Caps;
use crate::plan::cut::window::{WORD_BYTES, Window};
use crate::plan::geometry;
use crate::plan::recording::{
    Bound, Constants, Contents, DigitsParameters, Parameters, Place, PlannedPass, RecordedDispatch,
    SampleParameters, Scratch, SettleParameters, binding, low_word,
};
use crate::shader::Shader;

/// A sample has about so many elements at most, and about one of so many.
const MOST_SAMPLED: u64 = 1 << 18;
const SAMPLED_OF: u64 = 16;

/// With more ranks or brackets most elements would be kept.
const MOST_RANKS: usize = 64;
const MOST_BRACKETS: usize = 16;

/// In more windows some invocations would read too much of what workgroups share.
const MOST_WINDOWS: usize = 8;

/// Buffers of a shader that needs most: one that leaves elements with indices.
const STORAGE_BUFFERS: u32 = 7;

/// A rank in the sample is as far off as this many standard deviations, and as many elements more, only where the sample misleads.
const DEVIATIONS: u64 = 5;
const MORE: u64 = 8;

/// The input has so many times the bytes of what is kept.
const KEPT_OF: u64 = 8;

/// Of so many parts of the room for elements one is what workgroups share.
const SPILLED_OF: u64 = 4;

/// Copies of the counters of a class of keys.
const COPIES: u32 = 32;

/// Whether a plan of these ranks may keep elements. Only if they are few it does.
pub(super) fn is_sifted(sought: &Sought, element: ElementKind, caps: &Caps) -> bool {
    let lens = geometry::sifted(caps.class)..=u64::from(u32::MAX);
    let is_asked = sought.ranking() == Ranking::Elements && sought.wanted().len() <= MOST_RANKS;
    let has_room = caps.max_storage_buffers >= STORAGE_BUFFERS;
    has_sifted_keys(element) && lens.contains(&sought.len()) && is_asked && has_room
}

/// Edges of classes of keys, where each rank has a bracket.
pub(super) const fn edges(ranks: u32) -> u32 {
    4 * ranks
}

/// What is kept, and where.
pub(super) struct Sift {
    /// Ranks of bounds in the sample.
    brackets: Vec<[u64; 2]>,
    /// As `shaders/order/bounds.wgsl` has them.
    open_below: u32,
    open_above: u32,
    /// Quads of which one element is sampled, and how many these are in each window.
    step: u32,
    sampled: Vec<u32>,
    /// Words of an index beside a key.
    index_words: u32,
    /// Of each window: the word at which the first region begins, and the elements that each has room for.
    regions: Vec<[u32; 2]>,
    /// The same of what workgroups share, and the window whose workgroups read that: it has the most.
    spilled: [u32; 2],
    widest: usize,
    /// Before the regions.
    header_bytes: u64,
    bytes: u64,
    /// The first of [`BUFFERS`] scratch buffers.
    first_scratch: usize,
    /// The element whose order is that of keys.
    key: ElementKind,
}

/// What is kept, bounds, classes, and what is known of ranks.
const BUFFERS: usize = 4;

impl Sift {
    /// `None` if all passes should read the input.
    pub(super) fn new(planner: &Planner<'_>, steps: &[Step], windows: &[Placed]) -> Option<Self> {
        let Planner { element, caps, sought, .. } = *planner;
        if !is_sifted(sought, element, caps) || windows.len() > MOST_WINDOWS {
            return None;
        }
        let quads: u64 = windows.iter().map(|of| u64::from(of.window.body_quads())).sum();
        let wanted = MOST_SAMPLED.min(sought.len() / SAMPLED_OF);
        let step = low_word(quads.checked_div(wanted)?).max(1);
        let sampled: Vec<_> = windows.iter().map(|of| of.window.body_quads() / step).collect();
        let of_sample = sampled.iter().map(|&count| u64::from(count)).sum();
        let (brackets, [open_below, open_above]) = brackets(sought, of_sample)?;
        let first_scratch = if steps.iter().any(|step| step.is_of_place) { 6 } else { 4 };
        let key = if element.number().has_64_bits() { ElementKind::U64 } else { ElementKind::U32 };
        let header_bytes = 16 + 32 * brackets.len() as u64;
        let mut sift = Self {
            brackets,
            open_below,
            open_above,
            step,
            sampled,
            index_words: sought.extent.is_some().into(),
            regions: Vec::new(),
            spilled: [0; 2],
            widest: 0,
            header_bytes: header_bytes.next_multiple_of(caps.storage_alignment_bytes.max(16)),
            bytes: 0,
            first_scratch,
            key,
        };
        sift.cut(planner, windows)?;
        let most_bytes = caps.max_binding_bytes.min(caps.max_buffer_bytes);
        let is_bound = sift.bytes <= most_bytes
            && sift.workgroup_bytes() <= caps.workgroup_storage_bytes.into()
            && sift.turns(planner, windows) <= caps.max_loop_turns.into();
        (is_bound && sift.expected(sought.len(), of_sample) <= sift.room(planner, windows))
            .then_some(sift)
    }

    /// Gives each workgroup room for elements.
    fn cut(&mut self, planner: &Planner<'_>, windows: &[Placed]) -> Option<()> {
        let (entry, element_bytes) = (self.entry_words(), planner.element.size_bytes());
        let len = planner.sought.len();
        let words = len * element_bytes / KEPT_OF / WORD_BYTES;
        let mut end = self.header_bytes / WORD_BYTES;
        for Placed { window, .. } in windows {
            let own = (words - words / SPILLED_OF) * window.len() / len.max(1);
            let workgroups = u64::from(planner.tuning.workgroups(window, planner.caps));
            let room = (own / workgroups).saturating_sub(1) / entry;
            self.regions.push([u32::try_from(end).ok()?, low_word(room)]);
            end += workgroups * (1 + room * entry);
        }
        let workgroups = |(_, placed): &(usize, &Placed)| {
            planner.tuning.workgroups(&placed.window, planner.caps)
        };
        self.widest = windows.iter().enumerate().max_by_key(workgroups)?.0;
        let spilled = words / SPILLED_OF / entry;
        self.spilled = [u32::try_from(end).ok()?, low_word(spilled)];
        let sample_bytes = self.sample_len() * key_bytes(self.key);
        self.bytes = ((end + spilled * entry) * WORD_BYTES).max(self.header_bytes + sample_bytes);
        Some(())
    }

    /// Turns of the loops of an invocation over what is kept, at most, as `shaders/order/from/kept.wgsl` has them.
    fn turns(&self, planner: &Planner<'_>, windows: &[Placed]) -> u64 {
        let bounds = 2 * self.brackets.len() as u64;
        let of_four = 1 + 4 * (2 + bounds + search_turns(planner.ranks.into()));
        let size = 4 * u64::from(planner.tuning.workgroup_size);
        let of = |(number, (placed, [_, own])): (usize, (&Placed, &[u32; 2]))| {
            let workgroups = planner.tuning.workgroups(&placed.window, planner.caps);
            let is_widest = number == self.widest;
            let spilled = if is_widest { u64::from(self.spilled[1]) } else { 0 };
            u64::from(*own).div_ceil(size) + spilled.div_ceil(size * u64::from(workgroups)) + 2
        };
        let most = windows.iter().zip(&self.regions).enumerate().map(of).max().unwrap_or(0);
        most * of_four + bounds
    }

    fn entry_words(&self) -> u64 {
        key_bytes(self.key) / WORD_BYTES + u64::from(self.index_words)
    }

    fn sample_len(&self) -> u64 {
        self.sampled.iter().map(|&count| u64::from(count)).sum()
    }

    /// How many elements are kept of elements in any order, all of which differ.
    fn expected(&self, len: u64, of_sample: u64) -> u64 {
        let between: u64 = self.brackets.iter().map(|[low, high]| high - low + 1).sum();
        between * len / of_sample.max(1)
    }

    /// How many find room in regions, less a share in which these may differ.
    fn room(&self, planner: &Planner<'_>, windows: &[Placed]) -> u64 {
        let of = |(placed, [_, room]): (&Placed, &[u32; 2])| {
            let workgroups = planner.tuning.workgroups(&placed.window, planner.caps);
            u64::from(workgroups) * u64::from(*room)
        };
        let all: u64 = windows.iter().zip(&self.regions).map(of).sum();
        all - all / 20
    }

    fn scratch_place(&self, number: usize) -> Place {
        Place::Scratch(self.first_scratch + number)
    }

    fn kept_bytes(&self, number: u32) -> Bound {
        Bound { binding: number, place: self.scratch_place(0), bytes: Some(0..self.bytes) }
    }

    fn bounds(&self) -> Bound {
        let bytes = 2 * self.brackets.len() as u64 * key_bytes(self.key);
        let (binding, place) = (binding::FIRST_INPUT, self.scratch_place(1));
        Bound { binding, place, bytes: Some(0..bytes) }
    }

    /// A total for each class; that of the first is what found no room.
    fn classes(&self) -> Bound {
        let bytes = (1 + 4 * self.brackets.len() as u64) * WORD_BYTES;
        let (binding, place) = (binding::ARRIVALS, self.scratch_place(2));
        Bound { binding, place, bytes: Some(0..bytes) }
    }

    fn counters(&self) -> u32 {
        COPIES * (1 + edges(low_word(self.brackets.len() as u64)))
    }

    /// Memory of a workgroup that keeps elements: counters, edges, and what it has kept.
    fn workgroup_bytes(&self) -> u64 {
        let edges = 4 * self.brackets.len() as u64;
        u64::from(self.counters()) * WORD_BYTES + edges * key_bytes(self.key) + 16
    }

    /// What passes over kept elements read.
    pub(super) fn bound(&self) -> Bound {
        self.kept_bytes(binding::FIRST_INPUT + 2)
    }

    /// What they are compiled with.
    pub(super) fn constants(&self) -> Constants {
        vec![("BRACKETS", low_word(self.brackets.len() as u64)), ("INDEX_WORDS", self.index_words)]
    }

    /// Where the elements of a window are kept. The passes of one window read what workgroups share.
    pub(super) fn tell(&self, parameters: &mut DigitsParameters, window: usize) {
        let [first, room] = self.regions.get(window).copied().unwrap_or_default();
        (parameters.kept_first, parameters.kept_room) = (first, room);
        parameters.spilled_first = self.spilled[0];
        if window == self.widest {
            parameters.spilled_room = self.spilled[1];
        }
    }

    /// What passes that know of edges are compiled with.
    fn of_edges(&self) -> Constants {
        let brackets = low_word(self.brackets.len() as u64);
        let open = [("OPEN_BELOW", self.open_below), ("OPEN_ABOVE", self.open_above)];
        [&[("BRACKETS", brackets), ("EDGES", edges(brackets))][..], &open].concat()
    }

    /// The passes that keep elements, and those of the digits.
    pub(super) fn lower(
        &self,
        planner: Planner<'_>,
        steps: &[Step],
        windows: &[Placed],
    ) -> Result<Lowered> {
        let caps = planner.caps;
        let mut table = planner.sought.table();
        let table_bytes = planner.state_bytes();
        let sample_bytes = table_bytes.next_multiple_of(caps.storage_alignment_bytes.max(16));
        table.resize(usize::try_from(sample_bytes / WORD_BYTES).unwrap_or(0), 0);
        let sought = self.sought_of_sample();
        table.extend(sought.table());
        let given = Bound { bytes: Some(0..table_bytes), ..planner.table.clone() };
        let of_sample = self::steps(self.key, &sought, caps)?;
        // Digits go on counting in the two buffers in turn.
        let renumbered = |step: &Step| Step { number: step.number + of_sample.len(), ..*step };
        let steps: Vec<_> = steps.iter().map(renumbered).collect();
        let settled = Bound { place: self.scratch_place(3), ..given.clone() };
        let main = Planner { kept: Some(self), table: settled, ..planner };
        let cleared = steps.first().map_or_else(|| given.clone(), |step| main.totals(step));
        let sample_end = sample_bytes + STATE_BYTES * sought.count();
        let sample = Planner {
            element: self.key,
            ranks: low_word(sought.count()),
            sought: &sought,
            table: Bound { bytes: Some(sample_bytes..sample_end), ..given.clone() },
            target: Target::Scratch(self.first_scratch + 1, cleared),
            kept: None,
            ..main.clone()
        };
        let mut passes = vec![self.sample(&main, windows)];
        passes.extend(sample.passes(&of_sample, &[self.sample_window()])?);
        passes.push(self.sifted(&main, windows));
        passes.push(self.settle(&main, &given));
        passes.extend(main.passes(&steps, windows)?);
        let scratch = self.scratch(&main.scratch(&steps), &sample.scratch(&of_sample), table_bytes);
        Ok(Lowered { passes, scratch, table })
    }

    /// Ranks of bounds. Those of bounds that are open are found, too.
    fn sought_of_sample(&self) -> Sought {
        let ranks = self.brackets.iter().flatten().copied().collect();
        Sought::of_sample(ranks, self.sample_len(), self.key)
    }

    /// Keys of the sample lie where elements are kept later.
    fn sample_window(&self) -> Placed {
        let size = key_bytes(self.key);
        let bytes = self.header_bytes..self.header_bytes + self.sample_len() * size;
        let window = Window::new(self.header_bytes, &bytes, size);
        Placed { place: self.scratch_place(0), window, base: 0 }
    }

    fn scratch(&self, main: &[Scratch], sample: &[Scratch], table_bytes: u64) -> Vec<Scratch> {
        let larger = |(number, of_main): (usize, &Scratch)| {
            let of_sample = sample.get(number).map_or(0, |scratch| scratch.bytes);
            Scratch { bytes: of_main.bytes.max(of_sample), ..*of_main }
        };
        let mut scratch: Vec<_> = main.iter().enumerate().map(larger).collect();
        let bytes = |bound: Bound| bound.bytes.map_or(0, |bytes| bytes.end);
        let kept: [(u64, Contents); BUFFERS] = [
            (self.bytes, Contents::Anything),
            (bytes(self.bounds()), Contents::Anything),
            (bytes(self.classes()), Contents::Zero),
            (table_bytes, Contents::Anything),
        ];
        scratch.extend(kept.map(|(bytes, contents)| Scratch { bytes, contents }));
        scratch
    }

    fn sample(&self, planner: &Planner<'_>, windows: &[Placed]) -> PlannedPass {
        let size = planner.tuning.workgroup_size;
        let key_words = low_word(key_bytes(self.key) / WORD_BYTES);
        let mut first = low_word(self.header_bytes / WORD_BYTES);
        let mut dispatch = |(placed, &count): (&Placed, &u32)| {
            let parameters = SampleParameters {
                body_first: placed.window.body.start,
                step: self.step,
                count,
                first,
            };
            first += count * key_words;
            let bytes = Some(placed.window.bytes.clone());
            let source = Bound { binding: binding::SOURCE, place: placed.place, bytes };
            let [x, y] = planner.caps.grid(count.div_ceil(size).max(1));
            RecordedDispatch {
                bindings: vec![source, self.kept_bytes(binding::TARGET)],
                parameters: parameters.words(),
                grid: [x, y, 1],
            }
        };
        let mut constants = vec![("WORKGROUP_SIZE", size)];
        constants.extend(planner.turned());
        PlannedPass {
            shader: Shader::Order(OrderShader::Sample(planner.element)),
            constants,
            dispatches: windows.iter().zip(&self.sampled).map(&mut dispatch).collect(),
        }
    }

    fn sifted(&self, planner: &Planner<'_>, windows: &[Placed]) -> PlannedPass {
        let mut constants = self.of_edges();
        constants.extend([("INDEX_WORDS", self.index_words), ("COUNTERS", self.counters())]);
        let bindings = [self.kept_bytes(binding::TARGET), self.classes(), self.bounds()];
        let told =
            DigitsParameters { spilled_room: self.spilled[1], ..DigitsParameters::default() };
        let shader = OrderShader::Sifted(planner.element);
        planner.over_elements(shader, constants, (&told, &bindings), windows)
    }

    fn settle(&self, planner: &Planner<'_>, given: &Bound) -> PlannedPass {
        let parameters = SettleParameters {
            len: low_word(planner.sought.len()),
            count: planner.ranks,
            spilled_room: self.spilled[1],
        };
        let header =
            Bound { bytes: Some(0..self.header_bytes), ..self.kept_bytes(binding::PARTIALS) };
        let bindings = vec![
            Bound { binding: binding::SOURCE, ..given.clone() },
            Bound { binding: binding::TARGET, ..planner.table.clone() },
            self.classes(),
            header,
            self.bounds(),
        ];
        let mut constants = vec![("WORKGROUP_SIZE", planner.choosing_size())];
        constants.extend(self.of_edges());
        PlannedPass {
            shader: Shader::Order(OrderShader::Settle(planner.element)),
            constants,
            dispatches: vec![RecordedDispatch {
                bindings,
                parameters: parameters.words(),
                grid: [1, 1, 1],
            }],
        }
    }
}

/// Ranks in a sample between which the wanted ones lie, and whether the first and the last have a bound; `None` if they are too many.
fn brackets(sought: &Sought, of_sample: u64) -> Option<(Vec<[u64; 2]>, [u32; 2])> {
    let last = of_sample.checked_sub(1)?;
    let (mut open_below, mut open_above) = (0, 0);
    let mut brackets: Vec<[u64; 2]> = Vec::new();
    for &rank in sought.wanted() {
        let middle = scaled(rank, of_sample, sought.len()).min(last);
        let deviation = scaled(middle, of_sample - middle, of_sample).isqrt();
        let margin = DEVIATIONS * deviation + MORE;
        open_below |= u32::from(middle < margin);
        open_above |= u32::from(middle + margin > last);
        let bracket = [middle.saturating_sub(margin), (middle + margin).min(last)];
        match brackets.last_mut() {
            Some(before) if bracket[0] <= before[1] => before[1] = before[1].max(bracket[1]),
            _ => brackets.push(bracket),
        }
    }
    if matches!(sought.extent, Some(Extent::UpTo | Extent::DownTo)) {
        // Elements before the rank are wanted, too.
        open_below = 2;
        brackets.first_mut()?[0] = 0;
    }
    (brackets.len() <= MOST_BRACKETS).then_some((brackets, [open_below, open_above]))
}

/// `a b / c`, rounded down. Where c is no less than b, it is no more than a.
fn scaled(a: u64, b: u64, c: u64) -> u64 {
    let scaled = u128::from(a) * u128::from(b) / u128::from(c.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{ArgNth, BottomK, Median, NanMedian, Nth, Quantiles, TopK};
    use crate::plan::cut::part::Part;
    use crate::plan::planned::Plan;
    use crate::plan::problem::Problem;
    use crate::plan::shapes::order::follow;

    /// Whether a plan keeps elements.
    fn is_sifting(plan: &Plan) -> bool {
        let is_sample =
            |pass: &PlannedPass| matches!(pass.shader, Shader::Order(OrderShader::Sample(_)));
        plan.passes().iter().any(is_sample)
    }

    fn planned(problem: &Problem<'_>, caps: &Caps) -> Plan {
        let plan = problem.plan(caps).unwrap();
        follow::check(problem, &plan, caps, caps.max_loop_turns);
        plan
    }

    #[test]
    fn many_elements_are_kept_if_few_can_have_the_ranks() {
        let mut caps = Caps::baseline();
        caps.workgroup_storage_bytes = 48 << 10;
        let shares: Vec<_> = (0..10).map(|number| 0.05 + 0.1 * f64::from(number)).collect();
        let many: Vec<_> = (0..60).map(|number| f64::from(number) / 60.0).collect();
        let (ten, many) = (Quantiles::new(shares), Quantiles::new(many));
        let mut checked = 0;
        for element in [ElementKind::F32, ElementKind::U64, ElementKind::I16] {
            for log in [21, 22, 27, 31, 33] {
                let (len, before) = (1_u64 << log, u64::from(log < 25) * element.size_bytes());
                caps.max_binding_bytes = if log == 27 { 256 << 20 } else { 16 << 30 };
                caps.max_buffer_bytes = 64 << 30;
                let nth = Nth { rank: len / 7 };
                let (located, top, bottom) =
                    (ArgNth { rank: len / 2 }, TopK { k: 1000 }, BottomK { k: len / 2 });
                let made = [
                    (Problem::new::<f32, _>(&nth, element, len), true),
                    (Problem::new::<f32, _>(&located, element, len), true),
                    (Problem::new::<f32, _>(&Median, element, len), true),
                    (Problem::new::<f32, _>(&top, element, len), true),
                    (Problem::new::<f32, _>(&ten, element, len), true),
                    (Problem::new::<f32, _>(&many, element, len), false),
                    (Problem::new::<f32, _>(&bottom, element, len), false),
                    (Problem::new::<f32, _>(&NanMedian, element, len), !element.is_float()),
                ];
                for (problem, is_few) in made {
                    let Ok(_) = problem.plan(&caps) else { continue };
                    let problem = problem.parts(vec![vec![Part { offset_bytes: before, len }]]);
                    let is_long = (22..32).contains(&log) && element.size_bytes() >= 4;
                    let plan = planned(&problem, &caps);
                    checked += 1;
                    assert_eq!(is_sifting(&plan), is_few && is_long, "{plan}");
                }
            }
        }
        assert_eq!(checked, 114);
    }
}
