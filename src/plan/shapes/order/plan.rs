//! What an order statistic runs, decided before anything touches a device.

use super::digits::{Counters, Digit, digits, key_bytes};
use super::shader::{OrderShader, unused_bits};
use crate::error::Result;
use crate::op::ranks::Ranks;
use crate::plan::caps::Caps;
use crate::plan::cut::part::len_of;
use crate::plan::cut::window::{QUAD_BYTES, Run, WORD_BYTES, Window, split_parts};
use crate::plan::geometry::{self, largest_power_of_two};
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, ChoiceParameters, Constants, Contents, DigitsParameters, Parameters, Place, PlannedPass,
    RecordedDispatch, Recording, Scratch, binding, low_word,
};
use crate::plan::shapes::bins::HistogramTuning;
use crate::shader::Shader;

/// Plans a problem of elements by their rank: of each digit of keys two passes, one that counts and one that chooses.
///
/// # Errors
///
/// Those of [`Ranks::find`]; [`Error::Unsupported`](crate::Error::Unsupported) if a workgroup has no room for so many ranks,
/// [`Error::InvalidTuning`](crate::Error::InvalidTuning) if the tuning does not fit the device, and errors of whole inputs.
pub(crate) fn lower(problem: &Problem<'_>, ranks: &Ranks<'_>, caps: &Caps) -> Result<Plan> {
    let (element, input) = (problem.element, problem.first());
    let tuning = problem.tuning(|| HistogramTuning::for_ranks(caps))?;
    caps.check()?;
    tuning.validate(caps)?;
    let len = len_of(input);
    let found = ranks.find(len, element.is_float())?;
    let digits = digits(element, found.ranks.len() as u64, tuning.copies, caps)?;
    let planner = Planner { problem, tuning, caps, ranks: low_word(found.ranks.len() as u64) };
    let windows = split_parts(input, element.size_bytes(), caps, planner.max_window_bytes())?;
    let (mut passes, mut before, mut end) = (Vec::new(), planner.table(), 0_u64);
    for (number, digit) in digits.iter().enumerate() {
        let start = end.next_multiple_of(caps.storage_alignment_bytes.max(1));
        end = start + (u64::from(digit.counters.ranks) << digit.bits) * TOTAL_BYTES;
        let place = Place::Scratch(0);
        let totals = Bound { binding: binding::ARRIVALS, place, bytes: Some(start..end) };
        passes.push(planner.gather(digit, (&before, &totals), &windows, number == 0));
        let is_last = number + 1 == digits.len();
        let after = Place::Scratch(1 + number % 2);
        passes.push(planner.choose(digit, (&before, &totals), (!is_last).then_some(after))?);
        before.place = after;
    }
    let states = Scratch { bytes: planner.state_bytes(), contents: Contents::Anything };
    let mut scratch = vec![Scratch { bytes: end, contents: Contents::Zero }];
    scratch.extend(vec![states; digits.len().saturating_sub(1).min(2)]);
    let table = found.ranks.iter().flat_map(|&rank| [0, 0, low_word(rank), low_word(rank >> 32)]);
    Ok(Plan {
        operation: ranks.name,
        element,
        inputs: 1,
        len,
        results: found.ranks.len() as u64,
        roundings: 0,
        tuning: tuning.into(),
        input_bytes: len.saturating_mul(element.size_bytes()),
        result_bytes: key_bytes(element),
        loads_in_flight: 0,
        outputs: Outputs::Ranks { table: table.collect() },
        recording: Recording { passes, scratch, ..Recording::new() }.within(caps)?,
    })
}

/// Bytes of what is known of a rank: its key, and how many elements stand before it.
const STATE_BYTES: u64 = 16;

/// The size of a total, which has 64 bits.
const TOTAL_BYTES: u64 = 8;

struct Planner<'a> {
    problem: &'a Problem<'a>,
    tuning: HistogramTuning,
    caps: &'a Caps,
    ranks: u32,
}

impl Planner<'_> {
    fn state_bytes(&self) -> u64 {
        u64::from(self.ranks) * STATE_BYTES
    }

    /// What is known before the first digit, in the buffer behind those of the input.
    fn table(&self) -> Bound {
        let place = Place::Input(self.problem.first().len());
        Bound { binding: binding::FIRST_INPUT, place, bytes: Some(0..self.state_bytes()) }
    }

    /// What both passes of a digit are compiled with.
    fn constants(&self, size: u32) -> Constants {
        let mut constants = vec![("WORKGROUP_SIZE", size)];
        let unused = unused_bits(self.problem.element);
        if unused > 0 {
            constants.push(("UNUSED", unused));
        }
        constants
    }

    /// The pass that counts a digit of elements whose keys begin as those that are known.
    fn gather(
        &self,
        digit: &Digit,
        (known, totals): (&Bound, &Bound),
        windows: &[(usize, Window)],
        is_first: bool,
    ) -> PlannedPass {
        let Counters { ranks, copies, count } = digit.counters;
        let mut constants = self.constants(self.tuning.workgroup_size);
        constants.extend([
            ("LOADS", self.tuning.loads_in_flight),
            ("RANKS", ranks),
            ("IS_FIRST", u32::from(is_first)),
            ("COPIES", copies),
            ("COUNTERS", count),
        ]);
        let dispatch = |(part, window): &(usize, Window)| {
            let workgroups = self.workgroups(window);
            let place = Place::Input(*part);
            let [x, y] = self.caps.grid(workgroups);
            let parameters = DigitsParameters {
                window: window.parameters(),
                workgroups,
                ranks: self.ranks,
                shift: digit.shift,
                bits: digit.bits,
                copies,
            };
            let bytes = Some(window.bytes.clone());
            let source = Bound { binding: binding::SOURCE, place, bytes };
            let quads = Bound { binding: binding::VECTORS, place, bytes: window.quad_bytes() };
            RecordedDispatch {
                bindings: vec![source, quads, totals.clone(), known.clone()],
                parameters: parameters.words(),
                grid: [x, y, 1],
            }
        };
        let shader = Shader::Order(OrderShader::Gather(self.problem.element));
        PlannedPass { shader, constants, dispatches: windows.iter().map(dispatch).collect() }
    }

    /// The pass that finds the digit in the keys of ranks, and leaves what is known then, or the elements.
    fn choose(
        &self,
        digit: &Digit,
        (known, totals): (&Bound, &Bound),
        after: Option<Place>,
    ) -> Result<PlannedPass> {
        let Self { problem, caps, ranks, .. } = *self;
        let bytes = Some(0..self.state_bytes());
        let (target, first) = match after {
            Some(place) => (Bound { binding: binding::TARGET, place, bytes }, 0),
            None => self.results()?,
        };
        let largest =
            geometry::alone(caps.class, geometry::CHOOSE_SIZE, self.tuning.workgroup_size);
        let size = largest_power_of_two(caps.workgroup_size()).min(largest);
        let workgroups = ranks.min(caps.max_grid());
        let [x, y] = caps.grid(workgroups);
        let source = Bound { binding: binding::SOURCE, ..known.clone() };
        let counted = Bound { binding: binding::FIRST_INPUT, ..totals.clone() };
        let Digit { shift, bits, .. } = *digit;
        let is_last = u32::from(after.is_none());
        let parameters = ChoiceParameters { shift, bits, is_last, first, count: ranks, workgroups };
        Ok(PlannedPass {
            shader: Shader::Order(OrderShader::Choose(problem.element)),
            constants: self.constants(size),
            dispatches: vec![RecordedDispatch {
                bindings: vec![source, target, counted],
                parameters: parameters.words(),
                grid: [x, y, 1],
            }],
        })
    }

    /// Where elements are left, and words before the first.
    fn results(&self) -> Result<(Bound, u32)> {
        let element_bytes = key_bytes(self.problem.element);
        let offset_bytes = self.problem.output_offset_bytes();
        let results = Run { offset_bytes, len: self.ranks.into(), element_bytes };
        let (bytes, before) = results.bound(self.caps)?;
        let place = Place::Output;
        let target = Bound { binding: binding::TARGET, place, bytes: Some(bytes) };
        Ok((target, before * low_word(element_bytes / WORD_BYTES)))
    }

    /// One workgroup per tile, up to what tuning and grid allow.
    fn workgroups(&self, window: &Window) -> u32 {
        let HistogramTuning { workgroup_size, max_workgroups, loads_in_flight, .. } = self.tuning;
        let tile = workgroup_size * loads_in_flight;
        let most = max_workgroups.min(self.caps.max_grid());
        window.body_quads().div_ceil(tile).clamp(1, most)
    }

    /// What all invocations together take before a loop has taken all the turns it may.
    fn max_window_bytes(&self) -> u64 {
        let size = u64::from(self.tuning.workgroup_size);
        let of_search = u64::from(self.ranks.next_power_of_two().ilog2());
        // The tile's loop, those of its quads and words, and searches.
        let of_quad = 2 + 4 + self.problem.element.per_quad() * of_search;
        let counters = u64::from(self.caps.workgroup_storage_bytes) / WORD_BYTES;
        let of_counters = 3 * counters.div_ceil(size) + u64::from(self.ranks).div_ceil(size);
        let of_ends = MOST_AT_ENDS.div_ceil(size) * (1 + of_search);
        let turns = u64::from(self.caps.max_loop_turns).saturating_sub(of_counters + of_ends);
        // Whole tiles: a part of one takes as long.
        let loads = u64::from(self.tuning.loads_in_flight);
        let quads = (turns / of_quad / loads).max(1) * loads;
        let workgroups = u64::from(self.tuning.max_workgroups.min(self.caps.max_grid()));
        workgroups.saturating_mul(size * QUAD_BYTES).saturating_mul(quads)
    }
}

/// Elements of a window in no whole quad, or in the only one of which it has a part.
const MOST_AT_ENDS: u64 = 2 * (QUAD_BYTES - 1);
