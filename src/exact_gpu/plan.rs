//! What an exact sum runs, decided before anything touches a device.

use super::records::{RECORD_BYTES, Records};
use super::{ExactShader, ExactTuning};
use crate::caps::Caps;
use crate::error::{Error, Result};
use crate::plan::Part;
use crate::recording::{
    Bound, Contents, Place, RecordedDispatch, RecordedPass, Recording, Scratch, binding,
};
use crate::shader::Shader;
use crate::variant::Collective;
use crate::window::{QUAD_BYTES, Run, Window, split};
use std::fmt;
use std::ops::Range;

/// What an exact sum would run: plain data.
///
/// ```
/// use wgpu_reduce::{Caps, ExactPlan, ExactTuning, Part};
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
    /// Elements that are added.
    pub len: u64,
    /// The tuning that shaped it.
    pub tuning: ExactTuning,
    /// One for each window of the input. They may run side by side.
    pub dispatches: Vec<ExactDispatch>,
}

/// One dispatch, which leaves a sum of its own.
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
    /// The parameters, the WGSL struct `Parameters`.
    pub parameters: [u32; 8],
}

impl ExactPlan {
    /// Plans the exact sum of all elements of type `f32` in the parts of an input, each in a buffer of its
    /// own.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTuning`] if the tuning does not fit the device, [`Error::InvalidBuffer`] if the
    /// offset is not a multiple of 4 or the end is beyond 2^64 bytes, [`Error::BufferTooLarge`] if no
    /// buffer of the device can hold so much.
    pub fn new(input: &[Part], tuning: &ExactTuning, caps: &Caps) -> Result<Self> {
        tuning.validate(caps)?;
        let mut windows = Vec::new();
        for (part, &Part { offset_bytes, len }) in input.iter().enumerate() {
            let run = Run { offset_bytes, len, element_bytes: ELEMENT_BYTES };
            let of_part = split(&run, caps, max_window_bytes(tuning, caps))?;
            windows.extend(of_part.into_iter().map(|window| (part, window)));
        }
        if windows.is_empty() {
            windows.push((0, Window { bytes: 0..0, head: 0..0, body: 0..0, tail: 0..0 }));
        }
        let bytes = windows.len() as u64 * RECORD_BYTES;
        if bytes > caps.max_binding_bytes {
            let what = format!("{} windows are more than one binding holds sums of", windows.len());
            return Err(Error::InvalidTuning { what });
        }
        let dispatch = |(slot, (part, window)): (u32, &(usize, Window))| {
            ExactDispatch::new(slot, *part, window, tuning, caps)
        };
        Ok(Self {
            shader: ExactShader { collective: Collective::for_caps(caps) },
            len: input.iter().fold(0, |sum, part| sum.saturating_add(part.len)),
            tuning: *tuning,
            dispatches: (0..).zip(&windows).map(dispatch).collect(),
        })
    }

    /// Bytes of the input that are read.
    #[must_use]
    pub const fn input_bytes(&self) -> u64 {
        self.len * ELEMENT_BYTES
    }

    /// What it leaves.
    pub(super) fn records(&self) -> Records {
        let workgroups = self.dispatches.iter().map(|dispatch| dispatch.workgroups);
        Records { len: self.len, workgroups: workgroups.collect() }
    }

    /// The commands that run it on a device.
    pub(super) fn recording(&self) -> Recording {
        let bytes = self.records().size_bytes();
        let ExactTuning { workgroup_size, loads_in_flight, margin, .. } = self.tuning;
        let pass = RecordedPass {
            shader: Shader::Exact(self.shader),
            constants: vec![
                ("WORKGROUP_SIZE", workgroup_size),
                ("LOADS", loads_in_flight),
                ("MARGIN", margin),
            ],
            dispatches: self.dispatches.iter().map(|dispatch| dispatch.record(bytes)).collect(),
        };
        let columns = Scratch { bytes, contents: Contents::Counters };
        Recording { passes: vec![pass], scratch: vec![columns], zero_output: false }
    }
}

impl ExactDispatch {
    fn new(slot: u32, part: usize, window: &Window, tuning: &ExactTuning, caps: &Caps) -> Self {
        let Window { head, body, tail, bytes } = window;
        let workgroups = workgroups_for(window, tuning, caps);
        Self {
            part,
            workgroups,
            grid: caps.grid(workgroups),
            source_bytes: (!bytes.is_empty()).then(|| bytes.clone()),
            quad_bytes: (!body.is_empty())
                .then(|| bytes.start..bytes.start + u64::from(body.end) * QUAD_BYTES),
            parameters: [
                head.start,
                head.end - head.start,
                body.start,
                body.end,
                tail.start,
                tail.end - tail.start,
                workgroups,
                slot,
            ],
        }
    }

    fn record(&self, result_bytes: u64) -> RecordedDispatch {
        let bound = |binding, place, bytes| Bound { binding, place, bytes };
        let [x, y] = self.grid;
        RecordedDispatch {
            bindings: vec![
                bound(binding::SOURCE, Place::Input(self.part), self.source_bytes.clone()),
                bound(binding::VECTORS, Place::Input(self.part), self.quad_bytes.clone()),
                bound(binding::TARGET, Place::Output, Some(0..result_bytes)),
                bound(binding::ARRIVALS, Place::Scratch(0), Some(0..result_bytes)),
            ],
            parameters: self.parameters.to_vec(),
            grid: [x, y, 1],
        }
    }
}

/// One workgroup per share, up to what tuning and grid allow; if they get several, as few as can be
/// without one of them getting more.
fn workgroups_for(window: &Window, tuning: &ExactTuning, caps: &Caps) -> u32 {
    let shares = u64::from(window.body_quads()).div_ceil(tuning.share_quads()).max(1);
    let most = tuning.max_workgroups.min(caps.max_grid());
    let turns = shares.div_ceil(u64::from(most));
    u32::try_from(shares.div_ceil(turns)).unwrap_or(most)
}

/// What all invocations together add before a window's 64 bits could overflow, or a loop has taken all
/// the turns it may.
fn max_window_bytes(tuning: &ExactTuning, caps: &Caps) -> u64 {
    let loads = u64::from(tuning.loads_in_flight);
    let turns = u64::from(caps.max_loop_turns.saturating_sub(MARGIN_TURNS).max(1));
    // A tile that does not fit is gone through twice.
    let by_turns = (turns / (1 + 2 * loads)).max(1);
    // The window, and the head and the tail, which workgroup 0 adds.
    let by_bits = (MAX_ELEMENTS_PER_INVOCATION - MAX_END_ELEMENTS) / (4 * loads);
    let workgroups = tuning.max_workgroups.min(caps.max_grid());
    let tile_bytes = tuning.tile_quads() * QUAD_BYTES;
    u64::from(workgroups) * by_turns.min(by_bits) * tile_bytes
}

const ELEMENT_BYTES: u64 = 4;

/// So many elements of less than 2^48 each fit a window of 64 bits: see `shaders/exact/window.wgsl`.
const MAX_ELEMENTS_PER_INVOCATION: u64 = 1 << 15;

/// Of head and tail an invocation gets at most so many.
const MAX_END_ELEMENTS: u64 = 16;

/// Turns of the loops beside those over tiles: over bins, digits, columns, head and tail.
const MARGIN_TURNS: u32 = 200;

impl fmt::Display for ExactPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exact sum of {} f32 elements by {:?}", self.len, self.shader.collective)?;
        writeln!(f, "  reads {} bytes; {}", self.input_bytes(), self.tuning)?;
        for ExactDispatch { workgroups, grid: [x, y], source_bytes, .. } in &self.dispatches {
            write!(f, "  {workgroups} workgroups as {x} x {y}")?;
            match source_bytes {
                Some(bytes) => writeln!(f, " over bytes {}..{}", bytes.start, bytes.end)?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}
