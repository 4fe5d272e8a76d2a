//! What an order statistic runs, decided before anything touches a device.

use super::digits::{Digit, digits, key_bytes, search_turns};
use super::shader::{OrderShader, unused_bits};
use crate::error::Result;
use crate::op::ranks::Ranks;
use crate::plan::caps::Caps;
use crate::plan::cut::part::len_of;
use crate::plan::cut::window::{Run, WORD_BYTES, Window, split_parts};
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
    let tuning = problem.tuning(|| HistogramTuning::for_caps(caps))?;
    caps.check()?;
    tuning.validate(caps)?;
    let len = len_of(input);
    let found = ranks.find(len, element.is_float())?;
    let digits = digits(element, found.ranks.len() as u64, caps)?;
    let (ranks_wanted, carries) = (low_word(found.ranks.len() as u64), len > u64::from(u32::MAX));
    let planner = Planner { problem, tuning, caps, ranks: ranks_wanted, carries };
    let most_counters = digits.iter().map(|digit| digit.counters).max().unwrap_or(0);
    let max_bytes = planner.max_window_bytes(most_counters);
    let windows = split_parts(input, element.size_bytes(), caps, max_bytes)?;
    let (mut passes, mut known) = (Vec::new(), planner.table());
    let mut digits_left = digits.iter().enumerate().peekable();
    while let Some((number, digit)) = digits_left.next() {
        let totals = planner.totals(number, digit);
        passes.push(planner.gather(digit, (&known, &totals), &windows, number == 0));
        let next = digits_left.peek().map(|&(number, digit)| Next {
            known: Place::Scratch(2 + number % 2),
            totals: planner.totals(number, digit),
        });
        passes.push(planner.choose(digit, (&known, &totals), next.as_ref())?);
        known.place = next.map_or(known.place, |next| next.known);
    }
    let scratch = planner.scratch(&digits);
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

struct Planner<'a> {
    problem: &'a Problem<'a>,
    tuning: HistogramTuning,
    caps: &'a Caps,
    ranks: u32,
    /// Whether a total may need more than a word.
    carries: bool,
}

/// What the passes of the next digit read and count in.
struct Next {
    known: Place,
    totals: Bound,
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

    /// Totals of digits lie in two buffers in turn.
    fn totals(&self, number: usize, digit: &Digit) -> Bound {
        let words = if self.carries { 2 } else { 1 };
        let bytes = (u64::from(digit.ranks) << digit.bits) * words * WORD_BYTES;
        let place = Place::Scratch(number % 2);
        Bound { binding: binding::ARRIVALS, place, bytes: Some(0..bytes) }
    }

    /// Two buffers of totals, of which the first begins with zeros and a pass clears the other, and two of what is known.
    fn scratch(&self, digits: &[Digit]) -> Vec<Scratch> {
        let bytes = |parity: usize| {
            let of_digit = |(number, digit)| self.totals(number, digit).bytes.map_or(0, |b| b.end);
            let own = digits.iter().enumerate().filter(|(number, _)| number % 2 == parity);
            own.map(of_digit).max().unwrap_or(0)
        };
        let anything = |bytes| Scratch { bytes, contents: Contents::Anything };
        let mut scratch = vec![Scratch { bytes: bytes(0), contents: Contents::Zero }];
        if digits.len() > 1 {
            scratch.extend([anything(bytes(1)), anything(self.state_bytes())]);
            scratch.push(anything(self.state_bytes()));
        }
        scratch
    }

    /// What both passes of a digit are compiled with.
    fn constants(&self, size: u32) -> Constants {
        let mut constants = vec![("WORKGROUP_SIZE", size), ("CARRIES", u32::from(self.carries))];
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
        let Digit { bits, shift, ranks, counters } = *digit;
        let mut constants = self.constants(self.tuning.workgroup_size);
        constants.extend([
            ("LOADS", self.tuning.loads_in_flight),
            ("RANKS", ranks),
            ("IS_FIRST", u32::from(is_first)),
            ("COUNTERS", counters),
        ]);
        let dispatch = |(part, window): &(usize, Window)| {
            let workgroups = self.tuning.workgroups(window, self.caps);
            let place = Place::Input(*part);
            let [x, y] = self.caps.grid(workgroups);
            let parameters = DigitsParameters {
                window: window.parameters(),
                workgroups,
                ranks: self.ranks,
                shift,
                bits,
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
        next: Option<&Next>,
    ) -> Result<PlannedPass> {
        let Self { problem, caps, ranks, .. } = *self;
        let ((target, first), next_totals) = match next {
            Some(Next { known, totals }) => {
                let (place, bytes) = (*known, Some(0..self.state_bytes()));
                ((Bound { binding: binding::TARGET, place, bytes }, 0), totals.clone())
            }
            None => (self.results()?, Bound { bytes: None, ..totals.clone() }),
        };
        let workgroups = ranks.min(caps.max_grid());
        let [x, y] = caps.grid(workgroups);
        let source = Bound { binding: binding::SOURCE, ..known.clone() };
        let counted = Bound { binding: binding::FIRST_INPUT, ..totals.clone() };
        let cleared = next_totals.bytes.as_ref().map_or(0, |bytes| bytes.end / WORD_BYTES);
        let parameters = ChoiceParameters {
            shift: digit.shift,
            bits: digit.bits,
            is_last: u32::from(next.is_none()),
            first,
            count: ranks,
            workgroups,
            cleared: low_word(cleared),
        };
        Ok(PlannedPass {
            shader: Shader::Order(OrderShader::Choose(problem.element)),
            constants: self.constants(self.choosing_size()),
            dispatches: vec![RecordedDispatch {
                bindings: vec![source, target, counted, next_totals],
                parameters: parameters.words(),
                grid: [x, y, 1],
            }],
        })
    }

    /// Invocations of a workgroup that chooses, each of which has a sum of 64 bits.
    fn choosing_size(&self) -> u32 {
        let Self { caps, tuning, .. } = self;
        let most = geometry::alone(caps.class, geometry::CHOOSE_SIZE, tuning.workgroup_size);
        let fit = (caps.workgroup_storage_bytes / 8).max(1);
        largest_power_of_two(caps.workgroup_size().min(fit)).min(most)
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

    /// What all invocations together take before a loop has taken all the turns it may.
    fn max_window_bytes(&self, counters: u32) -> u64 {
        let size = u64::from(self.tuning.workgroup_size);
        let of_search = search_turns(self.ranks.into());
        // The tile's loop, those of its quads and words, each with that which leaves it, and searches.
        let of_quad = 4 + 5 + self.problem.element.per_quad() * of_search;
        let room = 2 * u64::from(self.ranks);
        let of_counters = 2 * u64::from(counters).div_ceil(size) + room.div_ceil(size) + 8;
        self.tuning.max_window_bytes([of_quad, 1 + of_search, of_counters], self.caps)
    }
}
