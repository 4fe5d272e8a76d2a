//! One segment of a length that lies on the device: the pass that makes its offsets.

use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{QUAD_BYTES, WORD_BYTES};
use crate::plan::planned::{Outputs, Plan};
use crate::plan::recording::{
    Bound, Contents, CountedParameters, Parameters, Place, PlannedPass, RecordedDispatch, Scratch,
    binding, low_word,
};
use crate::plan::shapes::segments::SegmentsShader;
use crate::plan::shapes::segments::bound::bound;
use crate::shader::Shader;

/// Where a plan finds the offsets of one segment, in a buffer of their own.
pub(crate) const MADE_OFFSETS: Part = Part { offset_bytes: 0, len: 2 };

/// A plan's passes behind one that makes its offsets, [`MADE_OFFSETS`], of the count that lies so many bytes into the
/// buffer behind the `inputs`.
///
/// # Errors
///
/// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if the count is at no whole word, or further than a buffer reaches,
/// [`Error::Unsupported`](crate::Error::Unsupported) if no binding of the device covers it.
pub(crate) fn counted(
    mut plan: Plan,
    inputs: usize,
    count_offset_bytes: u64,
    caps: &Caps,
) -> Result<Plan> {
    let recording = &mut plan.recording;
    let offsets = Place::Scratch(recording.scratch.len());
    let dispatches = recording.passes.iter_mut().flat_map(|pass| &mut pass.dispatches);
    for bound in dispatches.flat_map(|dispatch| &mut dispatch.bindings) {
        if bound.place == Place::Input(inputs) {
            bound.place = offsets;
        }
    }
    recording.scratch.push(Scratch { bytes: QUAD_BYTES, contents: Contents::Anything });
    let (count, first_count) =
        bound(caps, (binding::SOURCE, Place::Input(inputs)), count_offset_bytes, [1, WORD_BYTES])?;
    let made = Bound { binding: binding::TARGET, place: offsets, bytes: Some(0..QUAD_BYTES) };
    let dispatch = RecordedDispatch {
        bindings: vec![count, made],
        parameters: CountedParameters { first_count, most: low_word(plan.len) }.words(),
        grid: [1, 1, 1],
    };
    let pass = PlannedPass {
        shader: Shader::Segments(SegmentsShader::Counted),
        constants: Vec::new(),
        dispatches: vec![dispatch],
    };
    recording.passes.insert(0, pass);
    let recording = plan.recording.within(caps)?;
    Ok(Plan { results: 1, outputs: Outputs::Counted, recording, ..plan })
}
