//! What an exact sum runs, decided before anything touches a device.

use crate::error::{Error, Result};
use crate::exact::ExactTerms;
use crate::exact::Records;
use crate::plan::caps::Caps;
use crate::plan::cut::pair::{PairWindow, Partner, split_pairs};
use crate::plan::cut::part::{Part, len_of};
use crate::plan::cut::window::{QUAD_BYTES, Window, split_parts};
use crate::plan::recording::{
    Bound, Constants, Contents, ExactParameters, Place, RecordedDispatch, RecordedPass, Recording,
    Scratch, ShownParameters, binding, shown,
};
use crate::plan::shapes::exact::{ExactShader, ExactTuning};
use crate::shader::Shader;
use crate::shader::variant::Collective;
use std::fmt;
use std::ops::Range;

/// What an exact sum would run: plain data.
///
/// ```
/// use wgpu_reduce::planners::ExactPlan;
/// use wgpu_reduce::{Caps, ExactTuning, Part};
///
/// let caps = Caps::baseline();
/// let input = Part { offset_bytes: 0, len: 1 << 24 };
/// let plan = ExactPlan::new(&[input], &ExactTuning::for_len(&caps, input.len), &caps)?;
/// assert_eq!(plan.dispatches.len(), 1);
/// println!("{plan}");
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExactPlan {
    /// The shader.
    pub shader: ExactShader,
    /// Elements or products that are added.
    pub len: u64,
    /// The tuning that shaped it.
    pub tuning: ExactTuning,
    /// One for each binding window of the input. They may run side by side.
    pub dispatches: Vec<ExactDispatch>,
}

/// One dispatch, which leaves a sum of its own. [`ExactPlan`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExactDispatch {
    /// The part of the input that is read.
    pub part: usize,
    /// Workgroups that have work.
    pub workgroups: u32,
    /// Workgroups dispatched in x and y; at least `workgroups` in all.
    pub grid: [u32; 2],
    /// Bytes of the input that are bound; none where there is nothing to read.
    pub source_bytes: Option<Range<u64>>,
    /// Those of them that are bound as 16-byte quads, where there are any.
    pub quad_bytes: Option<Range<u64>>,
    /// What is read of the second input, where there are two.
    pub partner: Option<Partner>,
    /// The parameters, the WGSL struct `Parameters`; zeros follow.
    pub parameters: ShownParameters,
}

/// Elements behind one binding of a part, and where their partners are.
struct Reading {
    part: usize,
    window: Window,
    partner: Option<Partner>,
    delta: u32,
}

impl ExactPlan {
    /// Plans the exact sum of all elements of type `f32` in the parts of an input, each in a buffer of its
    /// own.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`] if the tuning does not fit the device, [`Error::InvalidBuffer`] if the
    /// offset is not a multiple of 4, the end is beyond 2^62 bytes, or the parts need more bindings than one
    /// holds sums of, [`Error::BufferTooLarge`] if no buffer of the device can hold so much.
    pub fn new(input: &[Part], tuning: &ExactTuning, caps: &Caps) -> Result<Self> {
        caps.check()?;
        tuning.validate(ExactTerms::Elements, caps)?;
        let max_bytes = max_window_bytes(ExactTerms::Elements, tuning, caps);
        let windows = split_parts(input, ELEMENT_BYTES, caps, max_bytes)?;
        let reading = |(part, window)| Reading { part, window, partner: None, delta: 0 };
        let readings = windows.into_iter().map(reading).collect();
        Self::of(ExactTerms::Elements, input, readings, tuning, caps)
    }

    /// Plans the exact sum of the products of two inputs of type `f32`.
    ///
    /// ```
    /// use wgpu_reduce::planners::ExactPlan;
    /// use wgpu_reduce::{Caps, ExactTuning, Part};
    ///
    /// let caps = Caps::baseline();
    /// let [left, right] = [0, 12].map(|offset_bytes| [Part { offset_bytes, len: 1000 }]);
    /// let tuning = ExactTuning::for_pairs(&caps, 1000);
    /// let plan = ExactPlan::of_pairs(&left, &right, &tuning, &caps)?;
    /// assert_eq!((plan.len, plan.input_bytes()), (1000, 8000));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if one input has more elements than the other; otherwise as
    /// [`new`](Self::new).
    pub fn of_pairs(
        left: &[Part],
        right: &[Part],
        tuning: &ExactTuning,
        caps: &Caps,
    ) -> Result<Self> {
        caps.check()?;
        tuning.validate(ExactTerms::Products, caps)?;
        let max_bytes = max_window_bytes(ExactTerms::Products, tuning, caps);
        let windows = split_pairs([left, right], ELEMENT_BYTES, caps, max_bytes)?;
        let reading = |pairs: PairWindow| Reading {
            part: pairs.a_part,
            delta: pairs.delta,
            partner: Some(pairs.partner(left.len(), ELEMENT_BYTES)),
            window: pairs.a,
        };
        let readings = windows.into_iter().map(reading).collect();
        Self::of(ExactTerms::Products, left, readings, tuning, caps)
    }

    fn of(
        terms: ExactTerms,
        input: &[Part],
        mut readings: Vec<Reading>,
        tuning: &ExactTuning,
        caps: &Caps,
    ) -> Result<Self> {
        if readings.is_empty() {
            let window = Window { bytes: 0..0, head: 0..0, body: 0..0, tail: 0..0 };
            let nothing = Partner { source: Place::Input(0), source_bytes: 0..0, quad_bytes: None };
            let partner = (terms == ExactTerms::Products).then_some(nothing);
            readings.push(Reading { part: 0, window, partner, delta: 0 });
        }
        let bytes = readings.len() as u64 * terms.record_bytes();
        if bytes > caps.max_binding_bytes {
            let what =
                format!("it needs {} bindings, of whose sums one holds fewer", readings.len());
            return Err(Error::InvalidBuffer { what });
        }
        let dispatch = |(slot, reading): (u32, Reading)| {
            ExactDispatch::new(slot, reading, terms, tuning, caps)
        };
        let plan = Self {
            shader: ExactShader { terms, collective: Collective::for_caps(caps) },
            len: len_of(input),
            tuning: *tuning,
            dispatches: (0..).zip(readings).map(dispatch).collect(),
        };
        plan.recording().within(caps)?;
        Ok(plan)
    }

    /// Bytes of the input, or of both, that are read; `u64::MAX` where there are more.
    #[must_use]
    pub const fn input_bytes(&self) -> u64 {
        match self.shader.terms {
            ExactTerms::Elements => self.len.saturating_mul(ELEMENT_BYTES),
            ExactTerms::Products => self.len.saturating_mul(2 * ELEMENT_BYTES),
        }
    }

    /// What it leaves.
    pub(crate) fn records(&self) -> Records {
        let workgroups = self.dispatches.iter().map(|dispatch| dispatch.workgroups);
        Records { terms: self.shader.terms, len: self.len, workgroups: workgroups.collect() }
    }

    /// The commands that run it on a device.
    pub(crate) fn recording(&self) -> Recording {
        let bytes = self.records().size_bytes();
        let mut passes = Vec::new();
        for partners_are_quads in [true, false] {
            let alike = self.dispatches.iter();
            let alike = alike.filter(|dispatch| dispatch.pairs_quads() == partners_are_quads);
            let dispatches: Vec<_> = alike.map(|dispatch| dispatch.record(bytes)).collect();
            if !dispatches.is_empty() {
                let constants = self.constants(partners_are_quads);
                passes.push(RecordedPass {
                    shader: Shader::Exact(self.shader),
                    constants,
                    dispatches,
                });
            }
        }
        let columns = Scratch { bytes, contents: Contents::Counters };
        Recording { passes, scratch: vec![columns], zero_output: false, times: 1 }
    }

    fn constants(&self, partners_are_quads: bool) -> Constants {
        let ExactTuning { workgroup_size, loads_in_flight, margin, .. } = self.tuning;
        let mut constants = vec![
            ("WORKGROUP_SIZE", workgroup_size),
            ("LOADS", loads_in_flight),
            ("MARGIN", margin),
        ];
        if self.shader.terms == ExactTerms::Products {
            constants.push(("PARTNERS_ARE_QUADS", u32::from(partners_are_quads)));
        }
        constants
    }
}

impl ExactDispatch {
    fn new(
        slot: u32,
        reading: Reading,
        terms: ExactTerms,
        tuning: &ExactTuning,
        caps: &Caps,
    ) -> Self {
        let Reading { part, window, partner, delta } = reading;
        let workgroups = workgroups_for(&window, terms, tuning, caps);
        Self {
            part,
            workgroups,
            grid: caps.grid(workgroups),
            quad_bytes: window.quad_bytes(),
            source_bytes: (!window.bytes.is_empty()).then(|| window.bytes.clone()),
            partner,
            parameters: shown(&ExactParameters {
                window: window.parameters(),
                workgroups,
                slot,
                delta,
            }),
        }
    }

    /// Whether partners of quads are read as quads; also where there are no quads, or no partners.
    fn pairs_quads(&self) -> bool {
        let partner = self.partner.as_ref();
        self.quad_bytes.is_none() || partner.is_none_or(|partner| partner.quad_bytes.is_some())
    }

    fn record(&self, result_bytes: u64) -> RecordedDispatch {
        let bound = |binding, place, bytes| Bound { binding, place, bytes };
        let [x, y] = self.grid;
        let mut bindings = vec![
            bound(binding::SOURCE, Place::Input(self.part), self.source_bytes.clone()),
            bound(binding::VECTORS, Place::Input(self.part), self.quad_bytes.clone()),
            bound(binding::TARGET, Place::Output, Some(0..result_bytes)),
            bound(binding::ARRIVALS, Place::Scratch(0), Some(0..result_bytes)),
        ];
        if let Some(Partner { source, source_bytes, quad_bytes }) = &self.partner {
            let source_bytes = (!source_bytes.is_empty()).then(|| source_bytes.clone());
            bindings.push(bound(binding::PARTNER_WORDS, *source, source_bytes));
            bindings.push(bound(binding::PARTNER_QUADS, *source, quad_bytes.clone()));
        }
        RecordedDispatch { bindings, parameters: self.parameters.to_vec(), grid: [x, y, 1] }
    }
}

/// One workgroup per share, up to what tuning and grid allow; if they get several, as few as can be
/// without one of them getting more, or more tiles than it may.
fn workgroups_for(window: &Window, terms: ExactTerms, tuning: &ExactTuning, caps: &Caps) -> u32 {
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
fn max_tiles(terms: ExactTerms, tuning: &ExactTuning, caps: &Caps) -> u64 {
    let loads = u64::from(tuning.loads_in_flight);
    let turns = u64::from(caps.max_loop_turns.saturating_sub(MARGIN_TURNS).max(1));
    // A tile that does not fit is gone through twice.
    let by_turns = (turns / (1 + 2 * loads)).max(1);
    // The window, and the head and the tail, which workgroup 0 adds.
    let most = match terms {
        ExactTerms::Elements => MAX_ELEMENTS_PER_INVOCATION,
        ExactTerms::Products => MAX_PAIRS_PER_INVOCATION,
    };
    let by_bits = (most - MAX_END_ELEMENTS) / (4 * loads);
    by_turns.min(by_bits)
}

/// What so many tiles of all workgroups together are.
fn max_window_bytes(terms: ExactTerms, tuning: &ExactTuning, caps: &Caps) -> u64 {
    let workgroups = tuning.max_workgroups.min(caps.max_grid());
    let tile_bytes = tuning.tile_quads() * QUAD_BYTES;
    u64::from(workgroups) * max_tiles(terms, tuning, caps) * tile_bytes
}

const ELEMENT_BYTES: u64 = 4;

/// So many elements of less than 2^48 each fit a window of 64 bits: see `shaders/parts/window.wgsl`.
const MAX_ELEMENTS_PER_INVOCATION: u64 = 1 << 15;

/// Lower halves of products are less than 2^49 there.
const MAX_PAIRS_PER_INVOCATION: u64 = 1 << 14;

/// Of head and tail an invocation gets at most so many.
const MAX_END_ELEMENTS: u64 = 16;

/// Turns of the loops beside those over tiles: over bins, digits, columns, head and tail.
const MARGIN_TURNS: u32 = 200;

impl fmt::Display for ExactPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ExactShader { terms, collective } = self.shader;
        writeln!(f, "exact sum of {} f32 {terms} by {collective:?}", self.len)?;
        writeln!(f, "  reads {} bytes; {}", self.input_bytes(), self.tuning)?;
        for dispatch in &self.dispatches {
            let ExactDispatch { workgroups, grid: [x, y], source_bytes, partner, .. } = dispatch;
            write!(f, "  {workgroups} workgroups as {x} x {y}")?;
            if let Some(bytes) = source_bytes {
                write!(f, " over bytes {}..{}", bytes.start, bytes.end)?;
                if let Some(Partner { source_bytes: bytes, .. }) = partner {
                    write!(f, " and {}..{}", bytes.start, bytes.end)?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
