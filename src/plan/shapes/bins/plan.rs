//! What a histogram runs, decided before anything touches a device.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::part::len_of;
use crate::plan::cut::window::{WORD_BYTES, Window, split_parts};
use crate::plan::limits::unsupported;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, Constants, Contents, CountsParameters, Parameters, Place, PlannedPass, RecordedDispatch,
    Recording, Scratch, binding, low_word,
};
use crate::plan::shapes::bins::keys::{Keys, VALUES, value_ranges};
use crate::plan::shapes::bins::last::Last;
use crate::plan::shapes::bins::{Bins, Counters, HistogramShader, HistogramTuning};
use crate::shader::Shader;
use std::iter;

/// A channel has so many counts more than bins: below, above, NaN.
pub(crate) const OUTSIDE: u32 = 3;

/// Plans a problem of counts in bins, by channel. Totals have room for those of `more` elements beside its own.
///
/// # Errors
///
/// [`Error::InvalidBins`] if bins are too narrow for the type, [`Error::InvalidView`] if
/// there are no channels, more than 16, or no whole number of elements for each, [`Error::InvalidTuning`] if the tuning does not fit
/// the device, [`Error::Unsupported`] if one binding does not hold the counts, [`Error::InvalidBuffer`] and
/// [`Error::BufferTooLarge`] as of whole inputs.
pub(crate) fn lower(
    problem: &Problem<'_>,
    (bins, channels): (&Bins, u32),
    more: u64,
    caps: &Caps,
) -> Result<Plan> {
    let element = problem.element;
    let tuning = problem.tuning(|| HistogramTuning::for_caps(caps))?;
    caps.check()?;
    tuning.validate(caps)?;
    let len = len_of(problem.first());
    check_channels(len, channels)?;
    let edges = bins.edges_for(element)?;
    let of = Of { problem, channels, tuning, caps };
    Planner::new(of, bins.count(), &edges, len.saturating_add(more))?.plan(len, edges.clone())
}

/// What is to be planned.
#[derive(Clone, Copy)]
pub(crate) struct Of<'a> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) channels: u32,
    pub(crate) tuning: HistogramTuning,
    pub(crate) caps: &'a Caps,
}

/// What adds elements to totals, and what makes results of these and leaves them zero. In both the totals are the
/// caller's buffer number `input`, of so many bytes.
pub(crate) fn apart(recording: &Recording, input: usize) -> (Recording, Recording, u64) {
    let bytes = recording.scratch.first().map_or(0, |totals| totals.bytes);
    let mut adding = recording.clone().with_scratch_of(input);
    let last = adding.passes.split_off(adding.passes.len().saturating_sub(1));
    (adding, Recording { passes: last, ..Recording::new() }, bytes)
}

/// The size of a count, which is a `u64`.
const COUNT_BYTES: u64 = 8;

const MAX_CHANNELS: u32 = 16;

pub(crate) fn check_channels(len: u64, channels: u32) -> Result<()> {
    let what = if !(1..=MAX_CHANNELS).contains(&channels) {
        format!("{channels} channels are not between 1 and {MAX_CHANNELS}")
    } else if !len.is_multiple_of(channels.into()) {
        format!("{len} elements are no multiple of {channels} channels")
    } else {
        return Ok(());
    };
    Err(Error::InvalidView { what })
}

struct Planner<'a> {
    of: Of<'a>,
    shader: HistogramShader,
    keys: Keys,
    /// What shaders compare with, in the first pass or, of 8 bits, in the last.
    table: Vec<u32>,
    bins: u32,
    /// Slots of a channel in the first pass, and its bins there.
    slots: u32,
    first_bins: u32,
    /// Counters of a workgroup, but for copies.
    counters: u64,
    copies: Option<u32>,
    /// Whether a count may need more than a word.
    carries: bool,
    totals: Bound,
}

impl<'a> Planner<'a> {
    /// For totals of no more than `most` elements.
    fn new(of: Of<'a>, bins: u32, edges: &[f64], most: u64) -> Result<Self> {
        let Of { problem, channels, caps, tuning } = of;
        let element = problem.element;
        // Whatever bins there are, each value is counted: no way is shorter.
        let is_bytes = element.size_bytes() == 1;
        let (keys, table, first_bins, slots) = if is_bytes {
            (Keys::of_bytes(element), value_ranges(edges, element), VALUES, VALUES)
        } else {
            let keys = Keys::new(edges, element);
            let table = keys.table();
            (keys, table, bins, bins + OUTSIDE)
        };
        // One more for what is not certain; of bytes all is.
        let counters = counters(slots * channels + u32::from(!is_bytes));
        let of_all = u64::from(slots) * u64::from(channels);
        let most_turns = u64::from(caps.max_loop_turns / 2);
        let fit = tuning.fitting_copies(counters, caps);
        let copies = iter::successors(fit, |copies| (*copies > 1).then_some(copies / 2))
            .find(|&copies| turns_of_counters(counters, of_all, copies, tuning) <= most_turns);
        let totals_bytes = u64::from(slots) * u64::from(channels) * COUNT_BYTES;
        let output_bytes = u64::from(bins + OUTSIDE) * u64::from(channels) * COUNT_BYTES;
        let table_bytes = table.len() as u64 * WORD_BYTES;
        if totals_bytes.max(output_bytes).max(table_bytes) > caps.max_binding_bytes {
            let what = format!("{bins} bins of {channels} channels in one binding");
            return Err(unsupported(what));
        }
        Ok(Self {
            of,
            shader: HistogramShader::Gather {
                element,
                counters: if copies.is_some() { Counters::Workgroup } else { Counters::Totals },
            },
            keys,
            table,
            bins,
            slots,
            first_bins,
            counters,
            copies,
            carries: most > u64::from(u32::MAX),
            totals: Bound {
                binding: binding::ARRIVALS,
                place: Place::Scratch(0),
                bytes: Some(0..totals_bytes),
            },
        })
    }

    fn plan(self, len: u64, edges: Vec<f64>) -> Result<Plan> {
        let Of { problem, tuning, caps, channels } = self.of;
        let (element, input) = (problem.element, problem.first());
        let windows = split_parts(input, element.size_bytes(), caps, self.max_window_bytes())?;
        let mut before = 0;
        let mut dispatches = Vec::with_capacity(windows.len());
        for (part, window) in windows {
            let elements = window.len();
            dispatches.push(self.gather(part, window, before));
            before += elements;
        }
        let mut passes = Vec::new();
        if !dispatches.is_empty() {
            let (shader, constants) = (Shader::Histogram(self.shader), self.constants());
            passes.push(PlannedPass { shader, constants, dispatches });
        }
        passes.push(self.last_pass()?);
        let bytes = self.totals.bytes.as_ref().map_or(0, |bytes| bytes.end);
        let scratch = vec![Scratch { bytes, contents: Contents::Counters }];
        Ok(Plan {
            operation: "histogram",
            element,
            inputs: 1,
            len,
            results: self.counts(),
            roundings: 0,
            tuning: tuning.into(),
            input_bytes: len.saturating_mul(element.size_bytes()),
            result_bytes: COUNT_BYTES,
            loads_in_flight: 0,
            outputs: Outputs::Bins { channels, edges, table: self.table },
            recording: Recording { passes, scratch, ..Recording::new() }.within(caps)?,
        })
    }

    /// Counts of the result: of each channel bins, below, above, NaN.
    fn counts(&self) -> u64 {
        u64::from(self.bins + OUTSIDE) * u64::from(self.of.channels)
    }

    fn is_of_bytes(&self) -> bool {
        self.of.problem.element.size_bytes() == 1
    }

    /// What lies in the buffer behind those of the input.
    fn table(&self) -> Bound {
        let bytes = self.table.len() as u64 * WORD_BYTES;
        let place = Place::Input(self.of.problem.first().len());
        Bound { binding: binding::FIRST_INPUT, place, bytes: (bytes > 0).then_some(0..bytes) }
    }

    fn constants(&self) -> Constants {
        let Of { tuning, channels, .. } = self.of;
        let mut constants = vec![
            ("WORKGROUP_SIZE", tuning.workgroup_size),
            ("LOADS", tuning.loads_in_flight),
            ("CHANNELS", channels),
            ("METHOD", self.keys.method.number()),
            ("CARRIES", u32::from(self.carries)),
        ];
        if let Some(copies) = self.copies {
            let counters = low_word(self.counters) * copies;
            constants.extend([("COPIES", copies), ("COUNTERS", counters)]);
        }
        constants
    }

    fn gather(&self, part: usize, window: Window, before: u64) -> RecordedDispatch {
        let workgroups = self.of.tuning.workgroups(&window, self.of.caps);
        let channels = u64::from(self.of.channels);
        // The element at `head.start` is of the channel `before % channels`.
        let phase = (before + channels - u64::from(window.head.start) % channels) % channels;
        let place = Place::Input(part);
        let [x, y] = self.of.caps.grid(workgroups);
        let parameters = CountsParameters {
            window: window.parameters(),
            workgroups,
            copies: self.copies.unwrap_or(0),
            places: self.keys.parameters([low_word(phase), self.first_bins, self.slots]),
        };
        let quads = window.quad_bytes();
        RecordedDispatch {
            bindings: vec![
                Bound { binding: binding::SOURCE, place, bytes: Some(window.bytes) },
                Bound { binding: binding::VECTORS, place, bytes: quads },
                self.totals.clone(),
                if self.is_of_bytes() {
                    Bound { bytes: None, ..self.table() }
                } else {
                    self.table()
                },
            ],
            parameters: parameters.words(),
            grid: [x, y, 1],
        }
    }

    /// From the totals to the result.
    fn last_pass(&self) -> Result<PlannedPass> {
        let Of { problem, tuning, caps, .. } = self.of;
        let counts = self.counts();
        let last = Last {
            tuning: &tuning,
            caps,
            offset_bytes: problem.output_offset_bytes(),
            size_bytes: COUNT_BYTES,
            results: counts,
            carries: self.carries,
            totals: &self.totals,
        };
        if self.is_of_bytes() {
            let table = Some(self.table());
            return last.pass(HistogramShader::Values, counts, self.bins, table);
        }
        last.pass(HistogramShader::Copy, 2 * counts, self.bins, None)
    }

    /// What all invocations together count before a loop has taken all the turns it may.
    fn max_window_bytes(&self) -> u64 {
        let Of { problem, tuning, caps, channels } = self.of;
        let of_search = self.keys.turns();
        // The tile's loop, that of its quads, that of a quad's words to count what is certain and what is not, and
        // searches.
        let of_quad = 2 + 2 * 4 + problem.element.per_quad() * of_search;
        let slots = u64::from(self.slots) * u64::from(channels);
        let of_counters = turns_of_counters(self.counters, slots, self.copies.unwrap_or(0), tuning);
        tuning.max_window_bytes([of_quad, 1 + of_search, of_counters], caps)
    }
}

/// Turns of the loops that clear a workgroup's counters and add up those of `slots`.
fn turns_of_counters(counters: u64, slots: u64, copies: u32, tuning: HistogramTuning) -> u64 {
    let (size, copies) = (u64::from(tuning.workgroup_size), u64::from(copies));
    (counters * copies).div_ceil(size) + slots.div_ceil(size) * (1 + copies)
}

/// Counters of a workgroup, but for copies: a few more than the `least`, so that similar numbers of bins share
/// pipelines.
pub(crate) fn counters(least: u32) -> u64 {
    match u64::from(least) {
        ..=40 => 40,
        41..=256 => 256,
        257..=288 => 288,
        more => more.next_multiple_of(1 << (more.ilog2() - 3)),
    }
}
