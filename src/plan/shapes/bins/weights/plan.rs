//! What a histogram of weights runs.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::pair::{Together, checked_len, together};
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{MAX_WINDOWS, QUAD_BYTES, Run, WORD_BYTES, split};
use crate::plan::limits::unsupported;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, Contents, Parameters, Place, PlannedPass, RecordedDispatch, Recording, Scratch,
    WeightsParameters, binding, low_word,
};
use crate::plan::shapes::bins::keys::Keys;
use crate::plan::shapes::bins::last::Last;
use crate::plan::shapes::bins::plan::{OUTSIDE, Of, check_channels, counters};
use crate::plan::shapes::bins::shader::WeightKind;
use crate::plan::shapes::bins::{Bins, Counters, HistogramShader, HistogramTuning};
use crate::shader::Shader;
use std::ops::Range;

/// Most weights at once. As many that are floats change the upper word of a digit by less than it holds; as many that are
/// `u32` add up to less than 2^64, whatever they are.
const fn most_weights(weight: WeightKind) -> u64 {
    match weight {
        WeightKind::F32 | WeightKind::F64 => (1 << 31) - 1,
        WeightKind::U32 => 1 << 32,
    }
}

/// Plans a problem of sums of weights in bins, by channel. Elements are loaded one at a time, and there is one copy of the sums in a
/// workgroup, or none if [`copies`](HistogramTuning::copies) is 0. Weights may be cut elsewhere than elements.
///
/// # Errors
///
/// [`Error::LengthMismatch`] if there are not as many weights as elements, [`Error::Unsupported`] if there are 2^31
/// weights that are floats or more, or more than 2^32 that are `u32`, or one binding does not hold the sums; otherwise as of counts.
pub(crate) fn lower(
    problem: &Problem<'_>,
    (bins, channels): (&Bins, u32),
    (weight, weights): (WeightKind, &[Part]),
    caps: &Caps,
) -> Result<Plan> {
    let element = problem.element;
    let tuning = problem.tuning(|| HistogramTuning::for_weights(caps))?;
    caps.check()?;
    tuning.validate(caps)?;
    let left = checked_len(problem.first(), element.size_bytes(), caps)?;
    let right = checked_len(weights, weight.size_bytes(), caps)?;
    if left != right {
        return Err(Error::LengthMismatch { left, right });
    }
    check_channels(left, channels)?;
    if left > most_weights(weight) {
        let most = most_weights(weight);
        return Err(unsupported(format!("{left} weights at once, of which {most} have sums")));
    }
    let edges = bins.edges_for(element)?;
    let of = Of { problem, channels, tuning, caps };
    Planner::new(of, (weight, weights), bins.count(), &edges)?.plan(left, edges.clone())
}

struct Planner<'a> {
    of: Of<'a>,
    weight: WeightKind,
    weights: &'a [Part],
    keys: Keys,
    /// Slots of a channel.
    slots: u32,
    /// The size of all channels' slots, in words.
    words: u64,
    /// In words, where workgroups have sums of their own.
    in_workgroup: Option<u32>,
    totals: Bound,
}

impl<'a> Planner<'a> {
    fn new(
        of: Of<'a>,
        (weight, weights): (WeightKind, &'a [Part]),
        bins: u32,
        edges: &[f64],
    ) -> Result<Self> {
        let Of { problem, channels, tuning, caps } = of;
        let slots = bins + OUTSIDE;
        let of_sum = u64::from(weight.sum_words());
        let words = u64::from(slots) * u64::from(channels) * of_sum;
        let totals_bytes = words * WORD_BYTES;
        if totals_bytes > caps.max_binding_bytes {
            let what = format!("sums of {bins} bins of {channels} channels in one binding");
            return Err(unsupported(what));
        }
        // Sums are long: where as many as counters are do not fit, fewer may.
        let least = slots * channels;
        let sums =
            [counters(least), u64::from(least.next_multiple_of(8))].map(|sums| sums * of_sum);
        let does_fit = |words: u64| words * WORD_BYTES <= u64::from(caps.workgroup_storage_bytes);
        let in_workgroup = if does_fit(sums[0]) { sums[0] } else { sums[1] };
        let fits = does_fit(in_workgroup);
        // Half of a loop's turns are for elements.
        let is_quick = turns_of_sums(in_workgroup, tuning) <= u64::from(caps.max_loop_turns / 2);
        let has_copy = fits && is_quick && tuning.copies > 0;
        Ok(Self {
            of,
            weight,
            weights,
            keys: Keys::new(edges, problem.element),
            slots,
            words,
            in_workgroup: has_copy.then(|| low_word(in_workgroup)),
            totals: Bound {
                binding: binding::ARRIVALS,
                place: Place::Scratch(0),
                bytes: Some(0..totals_bytes),
            },
        })
    }

    fn plan(self, len: u64, edges: Vec<f64>) -> Result<Plan> {
        let Of { problem, channels, tuning, caps } = self.of;
        let (element, weight) = (problem.element, self.weight);
        let has_copy = self.in_workgroup.is_some();
        let counters = if has_copy { Counters::Workgroup } else { Counters::Totals };
        let shader = HistogramShader::Weighted { element, weight, counters };
        let dispatches = self.dispatches()?;
        let mut passes = Vec::new();
        if !dispatches.is_empty() {
            let (shader, constants) = (Shader::Histogram(shader), self.constants());
            passes.push(PlannedPass { shader, constants, dispatches });
        }
        passes.push(self.last_pass()?);
        let bytes = self.words * WORD_BYTES;
        let scratch = vec![Scratch { bytes, contents: Contents::Counters }];
        Ok(Plan {
            operation: "histogram of weights",
            element,
            inputs: 1,
            len,
            results: u64::from(self.slots) * u64::from(channels),
            roundings: 0,
            tuning: tuning.into(),
            input_bytes: len.saturating_mul(element.size_bytes() + weight.size_bytes()),
            result_bytes: weight.sum_bytes(),
            loads_in_flight: 0,
            outputs: Outputs::Bins { channels, edges, table: self.keys.table() },
            recording: Recording { passes, scratch, ..Recording::new() }.within(caps)?,
        })
    }

    fn constants(&self) -> Vec<(&'static str, u32)> {
        let Of { tuning, channels, .. } = self.of;
        let mut constants = vec![
            ("WORKGROUP_SIZE", tuning.workgroup_size),
            ("CHANNELS", channels),
            ("METHOD", self.keys.method.number()),
        ];
        constants.extend(self.in_workgroup.map(|words| ("SUMS", words)));
        constants
    }

    /// Elements that all invocations together take before a loop has taken all the turns it may, and whose weights fit
    /// a binding, which may have to begin before them.
    fn max_window(&self) -> u64 {
        let Of { caps, tuning, .. } = self.of;
        let size = u64::from(tuning.workgroup_size);
        let of_sums = self.in_workgroup.map_or(0, |words| turns_of_sums(words.into(), tuning));
        let turns = u64::from(caps.max_loop_turns).saturating_sub(of_sums);
        let workgroups = u64::from(tuning.max_workgroups.min(caps.max_grid()));
        let most = (turns / (1 + self.keys.turns())).max(1).saturating_mul(size * workgroups);
        let usable = caps.max_binding_bytes.saturating_sub(2 * self.alignment());
        most.min((usable / self.weight.size_bytes()).max(1))
    }

    /// The alignment of bindings.
    fn alignment(&self) -> u64 {
        self.of.caps.storage_alignment_bytes.max(QUAD_BYTES)
    }

    fn dispatches(&self) -> Result<Vec<RecordedDispatch>> {
        let Of { problem, caps, .. } = self.of;
        let size = problem.element.size_bytes();
        let max_bytes = self.max_window().saturating_mul(size);
        let mut before = 0;
        let mut dispatches = Vec::new();
        for piece in together([problem.first(), self.weights], [size, self.weight.size_bytes()]) {
            let Part { offset_bytes, len } = piece.a;
            let run = Run { offset_bytes, len, element_bytes: size };
            let mut weights_from = piece.b.offset_bytes;
            for window in split(&run, caps, max_bytes)? {
                let elements = window.elements();
                let count = u64::from(elements.end - elements.start);
                dispatches.push(self.dispatch(
                    &piece,
                    window.bytes,
                    elements,
                    weights_from,
                    before,
                )?);
                before += count;
                weights_from += count * self.weight.size_bytes();
            }
            if dispatches.len() as u64 > MAX_WINDOWS {
                let what = format!("elements and weights need more than {MAX_WINDOWS} bindings");
                return Err(Error::InvalidBuffer { what });
            }
        }
        Ok(dispatches)
    }

    /// The dispatch of the `elements` behind a binding of `bytes`. Their weights begin at a byte of their own buffer, and so many
    /// elements come before.
    fn dispatch(
        &self,
        piece: &Together,
        bytes: Range<u64>,
        elements: Range<u32>,
        weights_from: u64,
        before: u64,
    ) -> Result<RecordedDispatch> {
        let Of { problem, caps, tuning, channels } = self.of;
        let (inputs, weights) = (problem.first().len(), self.weights.len());
        let count = elements.end - elements.start;
        let most = tuning.max_workgroups.min(caps.max_grid());
        let workgroups = count.div_ceil(tuning.workgroup_size).clamp(1, most);
        let of_weights = Run {
            offset_bytes: weights_from,
            len: count.into(),
            element_bytes: self.weight.size_bytes(),
        };
        let (weight_bytes, first_weight) = of_weights.bound(caps)?;
        let delta = first_weight.wrapping_sub(elements.start);
        let channels = u64::from(channels);
        let phase = (before + channels - u64::from(elements.start) % channels) % channels;
        let [x, y] = caps.grid(workgroups);
        let of_bins = self.slots - OUTSIDE;
        let parameters = WeightsParameters {
            first: elements.start,
            end: elements.end,
            delta,
            workgroups,
            places: self.keys.parameters([low_word(phase), of_bins, self.slots]),
        };
        let table_bytes = self.keys.table().len() as u64 * WORD_BYTES;
        let table = (table_bytes > 0).then_some(0..table_bytes);
        let bound = |binding, input, bytes| Bound { binding, place: Place::Input(input), bytes };
        Ok(RecordedDispatch {
            bindings: vec![
                bound(binding::SOURCE, piece.a_part, Some(bytes)),
                bound(binding::PARTNER_WORDS, inputs + piece.b_part, Some(weight_bytes)),
                bound(binding::FIRST_INPUT, inputs + weights, table),
                self.totals.clone(),
            ],
            parameters: parameters.words(),
            grid: [x, y, 1],
        })
    }

    /// From the totals to the result.
    fn last_pass(&self) -> Result<PlannedPass> {
        let (Of { problem, channels, tuning, caps }, weight) = (self.of, self.weight);
        let sums = u64::from(self.slots) * u64::from(channels);
        let last = Last {
            tuning: &tuning,
            caps,
            offset_bytes: problem.output_offset_bytes(),
            size_bytes: weight.sum_bytes(),
            results: sums,
            carries: true,
            totals: &self.totals,
        };
        let shader = weight.last_shader();
        let items = if shader == HistogramShader::Copy { self.words } else { sums };
        last.pass(shader, items, self.slots - OUTSIDE, None)
    }
}

/// Turns of the loops that clear a workgroup's sums, of so many words, and add them up.
fn turns_of_sums(words: u64, tuning: HistogramTuning) -> u64 {
    2 * words.div_ceil(tuning.workgroup_size.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::element::ElementKind;
    use crate::plan::followed::LEAST_LOOP_TURNS;
    use crate::plan::limits::tests::{anything, devices};
    use crate::plan::problem::Shape;
    use crate::plan::shapes::bins::tests::{any_tuning, parts};
    use crate::plan::shapes::bins::weights::follow::check;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn every_element_meets_its_weight_once_and_its_channel(
            pixels in prop_oneof![0_u64..20, 0_u64..1000, 0_u64..7000],
            channels in 1_u32..5,
            of_input in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
            of_weights in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
            element in prop::sample::select(vec![ElementKind::U8, ElementKind::I16, ElementKind::F64]),
            weight in prop::sample::select(WeightKind::ALL.to_vec()),
            max_binding_bytes in prop::sample::select(vec![16_384_u64, 65_536, 1 << 27]),
            max_loop_turns in prop::sample::select(vec![300_u32, 65_000, u32::MAX]),
            max_workgroups in prop::sample::select(vec![1_u32, 5, 528]),
        ) {
            let mut caps = Caps::baseline();
            caps.max_binding_bytes = max_binding_bytes;
            caps.max_loop_turns = max_loop_turns;
            let default = HistogramTuning::for_weights(&caps);
            let (len, size) = (pixels * u64::from(channels), element.size_bytes());
            let weights = parts(&of_weights, len, weight.size_bytes());
            let bins = Bins::even(0..4, 4).unwrap();
            let shape = Shape::Weights(&bins, channels, weight, &weights);
            let problem = Problem::in_bins(element, shape)
                .parts(vec![parts(&of_input, len, size)])
                .left(Some([24, 0, 0]), false)
                .tuned(HistogramTuning { max_workgroups, ..default });
            check(&problem, &problem.plan(&caps).unwrap(), &caps, max_loop_turns);
        }

        /// Every element meets its weight on any device with any tuning, where there is a plan.
        #[test]
        fn every_element_meets_its_weight_on_any_device(
            caps in devices(),
            len in 0_u64..9000,
            channels in 1_u32..5,
            cuts in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
            of_weights in prop::collection::vec((0_u64..200, 0_u64..2000), 0..4),
            element in prop::sample::select(vec![ElementKind::U8, ElementKind::I16, ElementKind::F32]),
            weight in prop::sample::select(WeightKind::ALL.to_vec()),
            (tuning, output) in (prop::option::of(any_tuning()), anything(&[0, 8, 24])),
        ) {
            let len = len - len % u64::from(channels);
            let weights = parts(&of_weights, len, weight.size_bytes());
            let bins = Bins::even(0..4, 4).unwrap();
            let mut problem = Problem::in_bins(element, Shape::Weights(&bins, channels, weight, &weights))
                .parts(vec![parts(&cuts, len, element.size_bytes())])
                .left(Some([output, 0, 0]), false);
            problem.tuning = tuning.map(Into::into);
            if let Ok(plan) = problem.plan(&caps) {
                check(&problem, &plan, &caps, caps.max_loop_turns.max(LEAST_LOOP_TURNS));
            }
        }
    }
}
