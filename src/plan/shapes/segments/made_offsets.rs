//! One segment of a length that lies on the device: the pass that makes its offsets.

use crate::error::Result;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::cut::window::{QUAD_BYTES, WORD_BYTES};
use crate::plan::recording::{
    Bound, Contents, CountedParameters, Parameters, Place, RecordedDispatch, RecordedPass,
    Recording, Scratch, binding, low_word,
};
use crate::plan::shapes::segments::bound::bound;
use crate::plan::shapes::segments::{Built, SegmentsShader, SegmentsTuning};
use crate::shader::Shader;
use std::fmt;

/// Where a plan finds the offsets of one segment, in a buffer of their own.
pub(crate) const MADE_OFFSETS: Part = Part { offset_bytes: 0, len: 2 };

/// What has been planned: one result of the first elements, as many as a number on the device says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counted {
    /// Of the operation.
    pub(crate) name: &'static str,
    pub(crate) element: ElementKind,
    /// Elements at most.
    pub(crate) most: u64,
    pub(crate) tuning: SegmentsTuning,
    pub(crate) roundings: u64,
    pub(crate) recording: Recording,
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, element, most, tuning, .. } = self;
        writeln!(f, "{name} of at most {most} {element} elements, as counted; {tuning}")?;
        self.recording.show(f)
    }
}

/// A plan's passes behind one that makes its offsets, [`MADE_OFFSETS`], of the count that lies so many bytes into the
/// buffer behind the `inputs`.
///
/// # Errors
///
/// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if the count is at no whole word, or further than a buffer reaches,
/// [`Error::Unsupported`](crate::Error::Unsupported) if no binding of the device covers it.
pub(crate) fn counted(
    plan: Built,
    inputs: usize,
    count_offset_bytes: u64,
    caps: &Caps,
) -> Result<Counted> {
    let Built { name, element, len, tuning, roundings, mut recording, .. } = plan;
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
        parameters: CountedParameters { first_count, most: low_word(len) }.words(),
        grid: [1, 1, 1],
    };
    let pass = RecordedPass {
        shader: Shader::Segments(SegmentsShader::Counted),
        constants: Vec::new(),
        dispatches: vec![dispatch],
    };
    recording.passes.insert(0, pass);
    let recording = recording.within(caps)?;
    Ok(Counted { name, element, most: len, tuning, roundings, recording })
}
