//! What an exact sum runs, decided before anything touches a device.

use crate::error::{Error, Result};
use crate::exact::{ExactTerms, Records};
use crate::op::element::ElementKind;
use crate::op::fold::Folds;
use crate::plan::caps::Caps;
use crate::plan::cut::part::len_of;
use crate::plan::cut::source::{Reading, readings};
use crate::plan::cut::window::{QUAD_BYTES, Window};
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, Constants, Contents, ExactParameters, Parameters, Place, PlannedPass, RecordedDispatch,
    Recording, Scratch, binding,
};
use crate::plan::shapes::exact::{ExactShader, ExactTuning};
use crate::shader::Shader;
use crate::shader::variant::Collective;

/// What is added, and of which type.
type Terms = (ExactTerms, ElementKind);

/// What is to be planned.
#[derive(Clone, Copy)]
struct Job<'a> {
    terms: Terms,
    tuning: ExactTuning,
    caps: &'a Caps,
}

/// Plans the passes of the exact sum of an input of `f32` or `f64`, or of the products of two. Each dispatch leaves a sum of its own;
/// they may run side by side.
///
/// # Errors
///
/// - [`Error::LengthMismatch`] if one input has more elements than the other.
/// - [`Error::InvalidTuning`] if the tuning does not fit the device.
/// - [`Error::InvalidBuffer`] if an offset is not a multiple of an element's size, the end is beyond 2^62 bytes, or the parts need
///   more bindings than one holds sums of.
/// - [`Error::BufferTooLarge`] if no buffer of the device can hold so much.
///
/// [`Error::InvalidTuning`]: crate::Error::InvalidTuning
pub(crate) fn lower(problem: &Problem<'_>, terms: ExactTerms, caps: &Caps) -> Result<Plan> {
    let (input, second) = (problem.first(), problem.second());
    let len = len_of(input);
    let element = problem.element;
    let element_bytes = element.size_bytes();
    let tuning = problem.tuning(|| match (terms, element) {
        (ExactTerms::Elements, ElementKind::F64) => ExactTuning::for_doubles(caps, len),
        (ExactTerms::Products, ElementKind::F64) => ExactTuning::for_double_pairs(caps, len),
        (ExactTerms::Elements, _) => ExactTuning::for_len(caps, len),
        (ExactTerms::Products, _) => ExactTuning::for_pairs(caps, len),
    })?;
    let job = Job { terms: (terms, element), tuning, caps };
    caps.check()?;
    tuning.validate(terms, element, caps)?;
    let mut readings = readings(
        input,
        second.into(),
        element_bytes,
        caps,
        max_window_bytes(job.terms, &tuning, caps),
    )?;
    if readings.is_empty() {
        readings.push(job.nothing());
    }
    let bytes = readings.len() as u64 * terms.record_bytes(element);
    if bytes > caps.max_binding_bytes {
        let what = format!("it needs {} bindings, of whose sums one holds fewer", readings.len());
        return Err(Error::InvalidBuffer { what });
    }
    let (mut of_quads, mut of_words, mut workgroups) = (Vec::new(), Vec::new(), Vec::new());
    for (slot, reading) in (0..).zip(readings) {
        let (dispatch, shared_by) = job.dispatch(slot, reading, bytes);
        workgroups.push(shared_by);
        if pairs_quads(&dispatch) { &mut of_quads } else { &mut of_words }.push(dispatch);
    }
    let shader = ExactShader { terms, element, collective: Collective::for_caps(caps) };
    let alike = [(true, of_quads), (false, of_words)].into_iter();
    let passes = alike.filter(|(_, dispatches)| !dispatches.is_empty());
    let passes = passes.map(|(partners_are_quads, dispatches)| PlannedPass {
        shader: Shader::Exact(shader),
        constants: job.constants(partners_are_quads),
        dispatches,
    });
    let scratch = vec![Scratch { bytes, contents: Contents::Counters }];
    let recording = Recording { passes: passes.collect(), scratch, ..Recording::new() };
    let (operation, pair_bytes) = match (problem.fold, terms) {
        (Folds::Operation(operation), _) => (operation.name(), element_bytes),
        (_, ExactTerms::Elements) => ("sum_exact", element_bytes),
        (_, ExactTerms::Products) => ("dot_exact", 2 * element_bytes),
    };
    Ok(Plan {
        operation,
        element,
        inputs: 1 + usize::from(second.is_some()),
        len,
        results: 1,
        roundings: 0,
        tuning: tuning.into(),
        input_bytes: len.saturating_mul(pair_bytes),
        result_bytes: bytes,
        loads_in_flight: 0,
        outputs: Outputs::Digits(Records { terms, element, len, workgroups }),
        recording: recording.within(caps)?,
    })
}

impl Job<'_> {
    /// What a dispatch reads where there are no elements.
    fn nothing(&self) -> Reading {
        let window = Window { bytes: 0..0, head: 0..0, body: 0..0, tail: 0..0 };
        let bound = |binding| Bound { binding, place: Place::Input(0), bytes: None };
        let mut bindings = vec![bound(binding::SOURCE), bound(binding::VECTORS)];
        if self.terms.0 == ExactTerms::Products {
            bindings.extend([binding::PARTNER_WORDS, binding::PARTNER_QUADS].map(bound));
        }
        Reading { bindings, window, base: 0, delta: 0 }
    }

    /// What leaves a record in a slot of so many bytes of them, and the workgroups that share its elements.
    fn dispatch(&self, slot: u32, reading: Reading, bytes: u64) -> (RecordedDispatch, u32) {
        let Reading { mut bindings, window, delta, .. } = reading;
        let workgroups = workgroups_for(&window, self.terms, &self.tuning, self.caps);
        bindings.extend([
            Bound { binding: binding::TARGET, place: Place::Output, bytes: Some(0..bytes) },
            Bound { binding: binding::ARRIVALS, place: Place::Scratch(0), bytes: Some(0..bytes) },
        ]);
        let parameters = ExactParameters { window: window.parameters(), workgroups, slot, delta };
        let [x, y] = self.caps.grid(workgroups);
        let parameters = parameters.words();
        (RecordedDispatch { bindings, parameters, grid: [x, y, 1] }, workgroups)
    }

    fn constants(&self, partners_are_quads: bool) -> Constants {
        let ExactTuning { workgroup_size, loads_in_flight, margin, .. } = self.tuning;
        let mut constants = vec![
            ("WORKGROUP_SIZE", workgroup_size),
            ("LOADS", loads_in_flight),
            ("MARGIN", margin),
        ];
        if self.terms.0 == ExactTerms::Products {
            constants.push(("PARTNERS_ARE_QUADS", u32::from(partners_are_quads)));
        }
        constants
    }
}

/// Whether partners of quads are read as quads; also where there are no quads, or no partners.
fn pairs_quads(dispatch: &RecordedDispatch) -> bool {
    let is_bound = |binding| dispatch.bound(binding).is_none_or(|bound| bound.bytes.is_some());
    dispatch.bound(binding::VECTORS).is_none_or(|quads| quads.bytes.is_none())
        || is_bound(binding::PARTNER_QUADS)
}

/// One workgroup per share, up to what tuning and grid allow; if they get several, as few as can be
/// without one of them getting more, or more tiles than it may.
fn workgroups_for(window: &Window, terms: Terms, tuning: &ExactTuning, caps: &Caps) -> u32 {
    let quads = u64::from(window.body_quads());
    let shares = quads.div_ceil(tuning.share_quads()).max(1);
    let most = tuning.max_workgroups.min(caps.max_grid());
    let turns = shares.div_ceil(u64::from(most));
    // No more than `most`, because the window is no larger than `max_window_bytes`.
    let least = quads.div_ceil(tuning.tile_quads()).div_ceil(max_tiles(terms, tuning, caps));
    u32::try_from(shares.div_ceil(turns).max(least)).unwrap_or(most).min(most)
}

/// Tiles that a workgroup may add before a window's 64 bits could overflow, or a loop has taken all the turns it
/// may.
fn max_tiles((terms, element): Terms, tuning: &ExactTuning, caps: &Caps) -> u64 {
    let loads = u64::from(tuning.loads_in_flight);
    let turns = u64::from(caps.max_loop_turns.saturating_sub(MARGIN_TURNS).max(1));
    // A tile that does not fit is gone through twice.
    let by_turns = (turns / (1 + 2 * loads)).max(1);
    // The window, and the head and the tail, which workgroup 0 adds.
    let most = match terms {
        ExactTerms::Elements => MAX_ELEMENTS_PER_INVOCATION,
        ExactTerms::Products => MAX_PAIRS_PER_INVOCATION,
    };
    let of_quad = QUAD_BYTES / element.size_bytes();
    let by_bits = (most - MAX_END_ELEMENTS) / (of_quad * loads);
    by_turns.min(by_bits)
}

/// What so many tiles of all workgroups together are.
fn max_window_bytes(terms: Terms, tuning: &ExactTuning, caps: &Caps) -> u64 {
    let workgroups = tuning.max_workgroups.min(caps.max_grid());
    let tile_bytes = tuning.tile_quads() * QUAD_BYTES;
    u64::from(workgroups) * max_tiles(terms, tuning, caps) * tile_bytes
}

/// So many elements of less than 2^48 each fit a window of 64 bits: see `shaders/parts/window.wgsl`. Those of `f64` are of 96
/// bits, for elements of less than 2^75.
const MAX_ELEMENTS_PER_INVOCATION: u64 = 1 << 15;

/// Lower halves of products are less than 2^49 there, of `f64` less than 2^78.
const MAX_PAIRS_PER_INVOCATION: u64 = 1 << 14;

/// An invocation gets at most so many elements of head and tail.
const MAX_END_ELEMENTS: u64 = 16;

/// Turns of the loops beside those over tiles: over bins, digits, columns, head and tail.
const MARGIN_TURNS: u32 = 200;
