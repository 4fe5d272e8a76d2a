//! What a reduction by key runs, decided before anything touches a device.

use crate::error::{Error, Result};
use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::folding::Folding;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::shapes::runs::Room;
use crate::plan::shapes::runs::at_once::AtOnce;
use crate::plan::shapes::runs::finder::{Finder, Keys};
use crate::plan::shapes::segments::{self, SegmentsTuning};

/// What is to be planned.
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

/// Where keys lie, and what they are.
#[derive(Debug, Clone, Copy)]
pub struct KeyPart {
    /// Where they are.
    pub place: Part,
    /// Bytes of a key.
    pub bytes: u64,
    /// Whether they are compared as floats.
    pub are_floats: bool,
}

/// What is to be planned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) folding: Folding<'a>,
    pub(crate) element: ElementKind,
    pub(crate) keys: Keys<'a>,
    pub(crate) tuning: SegmentsTuning,
}

/// Plans the passes of everything, in front of those of the segments that runs are.
pub(crate) fn lower(job: &Job<'_>) -> Result<Plan> {
    let Job { folding, element, keys, tuning } = *job;
    keys.caps.check()?;
    let finder = Finder::new(&keys)?;
    let plan = segments::lower(&segments::Job {
        folding,
        element,
        input: keys.values,
        offsets: finder.offsets(),
        count_offset_bytes: Some(finder.count_offset_bytes()),
        output_offset_bytes: finder.results_offset_bytes(),
        tuning,
        caps: keys.caps,
    })?;
    let Outputs::Segments(mut layout) = plan.outputs else {
        return Err(Error::Internal { message: "segments are planned as something else".into() });
    };
    let at_once = match folding {
        Folding::Operation { operation, over } => Some(AtOnce { keys, operation, over, element }),
        Folding::Custom { .. } => None,
    };
    let Some(at_once) = at_once.filter(AtOnce::is_possible) else {
        let room = Room::behind(layout, &keys);
        let recording = finder.with_segments(&plan.recording, room)?;
        return Ok(Plan { outputs: Outputs::Runs { room, is_at_once: false }, recording, ..plan });
    };
    if layout.has_lengths {
        // Runs are never empty, and a word knows nothing of its length.
        layout.has_lengths = false;
        layout.least_len = 1;
    }
    let room = Room::behind(layout, &keys);
    Ok(Plan {
        roundings: if folding.rounds() { at_once.roundings()? } else { 0 },
        outputs: Outputs::Runs { room, is_at_once: true },
        recording: at_once.build(room)?,
        ..plan
    })
}

impl ByKeyRequest {
    /// Plans it.
    ///
    /// # Errors
    ///
    /// As a [`Problem`](crate::Problem) of runs.
    pub fn plan(&self) -> Result<Plan> {
        lower(&Job {
            folding: Folding::of_operation(self.operation, self.element)?,
            element: self.element,
            keys: Keys {
                place: self.keys,
                bytes: self.key_bytes,
                are_floats: self.keys_are_floats,
                values: &self.values,
                output_offsets_bytes: self.output_offsets_bytes,
                caps: &self.caps,
            },
            tuning: self.tuning,
        })
    }
}
