//! What a reduction by key runs, decided before anything touches a device.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::folding::Folding;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::shapes::runs::Room;
use crate::plan::shapes::runs::at_once::AtOnce;
use crate::plan::shapes::runs::finder::{Finder, Keys};
use crate::plan::shapes::segments;

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

/// Plans the passes of a problem of runs of these keys: what finds the runs, in front of the segments that they are.
pub(crate) fn lower(problem: &Problem<'_>, keys: KeyPart, caps: &Caps) -> Result<Plan> {
    let (element, values) = (problem.element, problem.first());
    let folding = Folding::of(problem.fold, element)?;
    let KeyPart { place, bytes, are_floats } = keys;
    let output_offsets_bytes = problem.ends.output_offsets_bytes;
    let keys = Keys { place, bytes, are_floats, values, output_offsets_bytes, caps };
    caps.check()?;
    let finder = Finder::new(&keys)?;
    let plan = segments::lower(problem, finder.segments(), caps)?;
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
