//! What a histogram of weights runs.

use crate::caps::Caps;
use crate::element::ElementKind;
use crate::error::{Error, Result};
use crate::histogram::keys::Keys;
use crate::histogram::plan::{OUTSIDE, counters, low_word};
use crate::histogram::shader::WeightKind;
use crate::histogram::{Bins, Counters, HistogramShader, HistogramTuning};
use crate::plan::Part;
use crate::recording::{
    Bound, Contents, Place, RecordedDispatch, RecordedPass, Recording, Scratch, binding,
};
use crate::shader::Shader;
use crate::window::{QUAD_BYTES, WORD_BYTES, Window, split_parts};

/// What it is made from.
pub(super) struct Request<'a> {
    pub(super) element: ElementKind,
    pub(super) weight: WeightKind,
    pub(super) elements: Part,
    pub(super) weights: Part,
    pub(super) bins: &'a Bins,
    pub(super) tuning: HistogramTuning,
    pub(super) caps: &'a Caps,
}

/// The elements are the first input, the weights the second, `table` the third.
pub(super) struct Plan {
    pub(super) recording: Recording,
    pub(super) table: Vec<u32>,
    pub(super) edges: Vec<f64>,
    pub(super) output_bytes: u64,
}

/// So many weights change the upper word of a digit by less than it holds.
const MOST_WEIGHTS: u64 = 1 << 31;

impl Plan {
    pub(super) fn new(request: &Request<'_>) -> Result<Self> {
        let Request { element, weight, elements, weights, bins, tuning, caps } = request;
        if elements.len != weights.len {
            return Err(Error::LengthMismatch { left: elements.len, right: weights.len });
        }
        let unsupported =
            |what: &str| Error::Unsupported { what: what.into(), adapter: String::new() };
        if elements.len >= MOST_WEIGHTS {
            return Err(unsupported("2^31 weights or more at once"));
        }
        let edges = bins.edges_for(*element)?;
        let keys = Keys::new(&edges, *element);
        let slots = bins.count() + OUTSIDE;
        let words = u64::from(slots) * u64::from(weight.sum_words());
        let in_workgroup = counters(slots, 1) * u64::from(weight.sum_words());
        let fits = in_workgroup * WORD_BYTES <= u64::from(caps.workgroup_storage_bytes);
        let counters = if fits { Counters::Workgroup } else { Counters::Totals };
        let output_bytes = words * WORD_BYTES;
        if output_bytes > caps.max_binding_bytes {
            return Err(unsupported("sums of so many bins in one binding"));
        }
        let shader = HistogramShader::Weighted { element: *element, weight: *weight, counters };
        let mut constants =
            vec![("WORKGROUP_SIZE", tuning.workgroup_size), ("METHOD", keys.method.number())];
        if fits {
            constants.push(("SUMS", low_word(in_workgroup)));
        }
        let of_window = Windows { request, keys: &keys, slots, words };
        let dispatches = of_window.dispatches(fits)?;
        let mut passes = Vec::new();
        if !dispatches.is_empty() {
            passes.push(RecordedPass { shader: Shader::Histogram(shader), constants, dispatches });
        }
        passes.push(of_window.copy());
        let scratch = vec![Scratch { bytes: output_bytes, contents: Contents::Counters }];
        let recording = Recording { passes, scratch, zero_output: false };
        Ok(Self { recording, table: keys.table(), edges, output_bytes })
    }
}

struct Windows<'a> {
    request: &'a Request<'a>,
    keys: &'a Keys,
    slots: u32,
    words: u64,
}

impl Windows<'_> {
    fn totals(&self) -> Bound {
        let bytes = Some(0..self.words * WORD_BYTES);
        Bound { binding: binding::ARRIVALS, place: Place::Scratch(0), bytes }
    }

    fn dispatches(&self, in_workgroup: bool) -> Result<Vec<RecordedDispatch>> {
        let Request { element, elements, caps, tuning, .. } = self.request;
        let size = element.size_bytes();
        // The weights of a window must fit a binding, too, which may have to begin before them.
        let alignment = caps.storage_alignment_bytes.max(QUAD_BYTES);
        let of_weights = caps.max_binding_bytes.saturating_sub(2 * alignment) / WORD_BYTES;
        let of_clearing =
            if in_workgroup { self.words.div_ceil(tuning.workgroup_size.into()) } else { 0 };
        let turns = u64::from(caps.max_loop_turns).saturating_sub(3 * of_clearing);
        let most = turns / (1 + self.keys.turns()) * u64::from(tuning.workgroup_size);
        let most = most.saturating_mul(tuning.max_workgroups.min(caps.max_grid()).into());
        let windows = split_parts(&[*elements], size, caps, most.min(of_weights) * size)?;
        let mut before = 0;
        let dispatch = |(_, window): (usize, Window)| {
            let end = if window.body.is_empty() { window.head.end } else { window.tail.end };
            let first = window.head.start;
            let dispatch = self.dispatch(window, first..end, before);
            before += u64::from(end - first);
            dispatch
        };
        Ok(windows.into_iter().map(dispatch).collect())
    }

    fn dispatch(
        &self,
        window: Window,
        elements: std::ops::Range<u32>,
        before: u64,
    ) -> RecordedDispatch {
        let Request { weights, caps, tuning, .. } = self.request;
        let count = elements.end - elements.start;
        let most = tuning.max_workgroups.min(caps.max_grid());
        let workgroups = count.div_ceil(tuning.workgroup_size).clamp(1, most);
        let from = weights.offset_bytes + before * WORD_BYTES;
        let start = from - from % caps.storage_alignment_bytes.max(QUAD_BYTES);
        let end = from + u64::from(count) * WORD_BYTES;
        let delta = low_word((from - start) / WORD_BYTES).wrapping_sub(elements.start);
        let [x, y] = caps.grid(workgroups);
        let mut parameters = vec![elements.start, elements.end, delta, workgroups];
        parameters.extend([self.slots - OUTSIDE, self.slots]);
        parameters.extend(self.keys.parameters());
        let table_bytes = self.keys.table().len() as u64 * WORD_BYTES;
        let bound = |binding, input, bytes| Bound { binding, place: Place::Input(input), bytes };
        RecordedDispatch {
            bindings: vec![
                bound(binding::SOURCE, 0, Some(window.bytes)),
                bound(binding::PARTNER_WORDS, 1, Some(start..end)),
                bound(binding::FIRST_INPUT, 2, (table_bytes > 0).then_some(0..table_bytes)),
                self.totals(),
            ],
            parameters,
            grid: [x, y, 1],
        }
    }

    /// From the totals to the result.
    fn copy(&self) -> RecordedPass {
        let Request { tuning, caps, .. } = self.request;
        let most = tuning.max_workgroups.min(caps.max_grid());
        let workgroups = self.words.div_ceil(tuning.workgroup_size.into()).min(most.into());
        let [x, y] = caps.grid(low_word(workgroups));
        let bytes = Some(0..self.words * WORD_BYTES);
        let target = Bound { binding: binding::TARGET, place: Place::Output, bytes };
        let parameters = vec![low_word(self.words), 0, x * y * tuning.workgroup_size];
        RecordedPass {
            shader: Shader::Histogram(HistogramShader::Copy),
            constants: vec![("WORKGROUP_SIZE", tuning.workgroup_size)],
            dispatches: vec![RecordedDispatch {
                bindings: vec![target, self.totals()],
                parameters,
                grid: [x, y, 1],
            }],
        }
    }
}
