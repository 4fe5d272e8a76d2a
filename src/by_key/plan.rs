//! What a reduction by key runs, decided before anything touches a device.

use super::at_once::AtOnce;
use super::finder::{Built, Finder, Keys};
use crate::caps::Caps;
use crate::element::ElementKind;
use crate::error::Result;
use crate::op::{Accuracy, OpRecord};
use crate::part::Part;
use crate::segments::{SegmentsPlan, SegmentsRequest, SegmentsTuning};
use std::fmt;

/// What is to be planned. [`ByKeyPlan`] has an example.
#[derive(Debug, Clone)]
pub struct ByKeyRequest {
    /// The operation on the values.
    pub operation: &'static OpRecord,
    /// The type of the values.
    pub element: ElementKind,
    /// The values, in order: each part is in a buffer of its own.
    pub values: Vec<Part>,
    /// The keys: as many.
    pub keys: Part,
    /// Bytes of a key: 4 or 8.
    pub key_bytes: u64,
    /// Whether they are floats.
    pub keys_are_floats: bool,
    /// Where results, keys of runs and their number go, in buffers of their own; `None` where all of them
    /// are for the host, in one.
    pub output_offsets_bytes: Option<[u64; 3]>,
    /// The numbers that make the reduction of segments fast.
    pub tuning: SegmentsTuning,
    /// The device.
    pub caps: Caps,
}

/// The passes of one reduction by key: plain data, to be printed, tested or run.
///
/// ```
/// use wgpu_reduce::{
///     ByKeyPlan, ByKeyRequest, Caps, ElementKind, Operation, Part, SegmentsTuning, Sum,
/// };
///
/// let caps = Caps::baseline();
/// let plan = ByKeyPlan::new(&ByKeyRequest {
///     operation: Operation::<f32>::record(&Sum),
///     element: ElementKind::F32,
///     values: vec![Part { offset_bytes: 0, len: 1 << 20 }],
///     keys: Part { offset_bytes: 0, len: 1 << 20 },
///     key_bytes: 4,
///     keys_are_floats: false,
///     output_offsets_bytes: None,
///     tuning: SegmentsTuning::for_element(&caps, ElementKind::F32),
///     caps,
/// })?;
/// assert_eq!(plan.len(), 1 << 20);
/// println!("{plan}");
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ByKeyPlan {
    pub(super) segments: SegmentsPlan,
    pub(crate) runs: Built,
    is_at_once: bool,
}

impl ByKeyPlan {
    /// Plans a reduction by key. No device is needed, and none is touched.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if there are not as many keys as values, [`Error::Unsupported`](crate::Error::Unsupported) if one binding
    /// does not hold the keys, or a result for each, or if keys have neither 4 bytes nor 8; otherwise as [`SegmentsPlan::new`].
    pub fn new(request: &ByKeyRequest) -> Result<Self> {
        request.caps.check()?;
        let keys = Keys {
            place: request.keys,
            bytes: request.key_bytes,
            are_floats: request.keys_are_floats,
            values: &request.values,
            output_offsets_bytes: request.output_offsets_bytes,
            caps: &request.caps,
        };
        let finder = Finder::new(&keys)?;
        let mut segments = SegmentsPlan::new(&SegmentsRequest {
            operation: request.operation,
            element: request.element,
            input: request.values.clone(),
            offsets: finder.offsets(),
            count_offset_bytes: Some(finder.count_offset_bytes()),
            output_offset_bytes: finder.results_offset_bytes(),
            tuning: request.tuning,
            caps: request.caps,
        })?;
        let over = request.operation.over(request.element)?;
        let (operation, element) = (request.operation, request.element);
        let at_once = AtOnce { keys, operation, over, element };
        if !at_once.is_possible() {
            let runs = finder.with_segments(&segments.built)?;
            return Ok(Self { segments, runs, is_at_once: false });
        }
        if segments.built.has_lengths {
            // Runs are never empty, and a word knows nothing of its length.
            segments.built.has_lengths = false;
            segments.built.least_len = 1;
        }
        let runs = at_once.build(&segments.built)?;
        if over.accumulator.rounds() {
            segments.built.roundings = at_once.roundings()?;
        }
        Ok(Self { segments, runs, is_at_once: true })
    }

    /// Keys, and values.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.segments.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Passes, in the order they run.
    #[must_use]
    pub fn pass_count(&self) -> usize {
        self.runs.recording.passes.len()
    }

    /// What bounds of the error of a run's result are made of, if it has so many values.
    #[must_use]
    pub fn accuracy_of(&self, len: u64) -> Accuracy {
        self.segments.accuracy_of(len)
    }
}

impl fmt::Display for ByKeyPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_at_once {
            return writeln!(f, "runs of {} equal keys, then {}", self.len(), self.segments);
        }
        let operation = self.segments.operation().name();
        writeln!(f, "{operation} of runs of {} equal keys, in one pass over both", self.len())?;
        for (index, pass) in self.runs.recording.passes.iter().enumerate() {
            writeln!(f, "  pass {}: {}", index + 1, pass.shader)?;
            for dispatch in &pass.dispatches {
                let [x, y, _] = dispatch.grid;
                writeln!(f, "    {x} x {y} workgroups")?;
            }
        }
        Ok(())
    }
}
