//! What a reduction by key runs, decided before anything touches a device.

use crate::error::Result;
use crate::op::element::ElementKind;
use crate::op::{Accuracy, OpRecord};
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::cut::window::WORD_BYTES;
use crate::plan::folding::Folding;
use crate::plan::shapes::runs::at_once::AtOnce;
use crate::plan::shapes::runs::finder::{Finder, Found, Keys};
use crate::plan::shapes::segments::{self, SegmentsTuning};
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
/// use wgpu_reduce::planners::{ByKeyPlan, ByKeyRequest};
/// use wgpu_reduce::{Caps, ElementKind, Operation, Part, SegmentsTuning, Sum};
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
    pub(crate) built: Built,
}

/// Where keys lie, and what they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyPart {
    pub(crate) place: Part,
    /// Of a key.
    pub(crate) bytes: u64,
    pub(crate) are_floats: bool,
}

/// What is to be planned: see [`ByKeyRequest`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) folding: Folding<'a>,
    pub(crate) element: ElementKind,
    pub(crate) values: &'a [Part],
    pub(crate) keys: KeyPart,
    pub(crate) output_offsets_bytes: Option<[u64; 3]>,
    pub(crate) tuning: SegmentsTuning,
    pub(crate) caps: &'a Caps,
}

/// What has been planned: the passes of everything, and those of the segments, which say what the host gets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Built {
    pub(crate) segments: segments::Built,
    pub(crate) runs: Found,
    is_at_once: bool,
}

/// Plans the passes.
pub(crate) fn build(job: &Job<'_>) -> Result<Built> {
    let Job { folding, element, values, caps, .. } = *job;
    caps.check()?;
    let keys = Keys {
        place: job.keys.place,
        bytes: job.keys.bytes,
        are_floats: job.keys.are_floats,
        values,
        output_offsets_bytes: job.output_offsets_bytes,
        caps,
    };
    let finder = Finder::new(&keys)?;
    let mut segments = segments::build(&segments::Job {
        folding,
        element,
        input: values,
        offsets: finder.offsets(),
        count_offset_bytes: Some(finder.count_offset_bytes()),
        output_offset_bytes: finder.results_offset_bytes(),
        tuning: job.tuning,
        caps,
    })?;
    let at_once = match folding {
        Folding::Operation { operation, over } => Some(AtOnce { keys, operation, over, element }),
        Folding::Custom { .. } => None,
    };
    let Some(at_once) = at_once.filter(AtOnce::is_possible) else {
        let runs = finder.with_segments(&segments)?;
        return Ok(Built { segments, runs, is_at_once: false });
    };
    if segments.has_lengths {
        // Runs are never empty, and a word knows nothing of its length.
        segments.has_lengths = false;
        segments.least_len = 1;
    }
    let runs = at_once.build(&segments)?;
    if folding.rounds() {
        segments.roundings = at_once.roundings()?;
    }
    Ok(Built { segments, runs, is_at_once: true })
}

impl Built {
    /// What the host gets: results, report, keys of runs and their number.
    pub(crate) const fn host_bytes(&self) -> u64 {
        self.runs.count_first + WORD_BYTES
    }
}

impl ByKeyPlan {
    /// Plans a reduction by key. No device is needed, and none is touched.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if there are not as many keys as values, [`Error::Unsupported`](crate::Error::Unsupported) if one binding
    /// does not hold the keys, or a result for each, or if keys have neither 4 bytes nor 8; otherwise as
    /// [`SegmentsPlan::new`](crate::SegmentsPlan::new).
    pub fn new(request: &ByKeyRequest) -> Result<Self> {
        let built = build(&Job {
            folding: Folding::of_operation(request.operation, request.element)?,
            element: request.element,
            values: &request.values,
            keys: KeyPart {
                place: request.keys,
                bytes: request.key_bytes,
                are_floats: request.keys_are_floats,
            },
            output_offsets_bytes: request.output_offsets_bytes,
            tuning: request.tuning,
            caps: &request.caps,
        })?;
        Ok(Self { built })
    }

    /// Keys, and values.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.built.segments.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.built.segments.len == 0
    }

    /// Passes, in the order they run.
    #[must_use]
    pub fn pass_count(&self) -> usize {
        self.built.runs.recording.passes.len()
    }

    /// What bounds of the error of a run's result are made of, if it has so many values.
    #[must_use]
    pub fn accuracy_of(&self, len: u64) -> Accuracy {
        self.built.segments.accuracy_of(len)
    }
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { segments, runs, is_at_once } = self;
        let segments::Built { len, name, .. } = segments;
        if !is_at_once {
            return writeln!(f, "runs of {len} equal keys, then {segments}");
        }
        writeln!(f, "{name} of runs of {len} equal keys, in one pass over both")?;
        runs.recording.show(f)
    }
}

impl fmt::Display for ByKeyPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.built.fmt(f)
    }
}
