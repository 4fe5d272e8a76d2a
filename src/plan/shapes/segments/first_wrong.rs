//! The pass that finds the first offset that is wrong.

use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::cut::bound::bound;
use crate::plan::cut::part::Part;
use crate::plan::cut::window::WORD_BYTES;
use crate::plan::limits::unsupported;
use crate::plan::recording::{
    Bound, JudgeParameters, Parameters, Place, PlannedPass, RecordedDispatch, Recording, binding,
};
use crate::plan::shapes::segments::SegmentsShader;
use crate::shader::Shader;

/// What it leaves: index, value, and that before.
pub(crate) const TOLD_BYTES: u64 = 3 * WORD_BYTES;

/// More lanes than that are of no use for what happens once.
const WORKGROUP: u32 = 256;

/// Plans it, over the offsets of segments of so many elements, in the only input.
///
/// # Errors
///
/// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if the offsets are at no whole word, or reach further than a buffer does,
/// [`Error::Unsupported`](crate::Error::Unsupported) if no binding of the device covers them, there can be no such device, or there are more of them or of
/// elements than 32 bits count.
pub(crate) fn first_wrong(offsets: Part, len: u64, caps: &Caps) -> Result<Recording> {
    caps.check()?;
    let Part { offset_bytes, len: count } = offsets;
    let place = (binding::PARTNER_WORDS, Place::Input(0));
    let (offsets, first_offset) = bound(caps, place, offset_bytes, [count, WORD_BYTES])?;
    let told = Bound { binding: binding::TARGET, place: Place::Output, bytes: Some(0..TOLD_BYTES) };
    let [count, len] = [count, len].map(u32::try_from);
    let (Ok(count), Ok(len)) = (count, len) else {
        return Err(unsupported("segments of 2^32 elements or more"));
    };
    let parameters = JudgeParameters { first_offset, offsets: count, len }.words();
    let dispatch = RecordedDispatch { bindings: vec![told, offsets], parameters, grid: [1, 1, 1] };
    let pass = PlannedPass {
        shader: Shader::Segments(SegmentsShader::Judge),
        constants: vec![("WORKGROUP_SIZE", WORKGROUP.min(caps.workgroup_size()))],
        dispatches: vec![dispatch],
    };
    Recording { passes: vec![pass], ..Recording::new() }.within(caps)
}
