//! The first elements of an input, as many as a number on the device says: the pass that cuts what the others are told.

use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::cut::bound::bound;
use crate::plan::cut::window::{QUAD_BYTES, WORD_BYTES};
use crate::plan::planned::{Outputs, Plan};
use crate::plan::recording::{
    Bound, Contents, CountedParameters, Parameters, Place, PlannedPass, RecordedDispatch, Scratch,
    binding, low_word,
};
use crate::shader::Shader;

/// Quads of what a pass over elements is told, at most.
const TOLD_QUADS: usize = 4;

/// A plan of elements in `inputs` buffers, behind a pass that cuts its windows. The number of elements that count lies in the next
/// buffer, so many bytes from its start.
///
/// # Errors
///
/// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if the number is at no whole word, or further than a buffer reaches,
/// [`Error::Unsupported`](crate::Error::Unsupported) if no binding of the device covers it.
pub(crate) fn counted(
    mut plan: Plan,
    inputs: usize,
    count_offset_bytes: u64,
    caps: &Caps,
) -> Result<Plan> {
    let count = (binding::SOURCE, Place::Input(inputs));
    let (count, first_count) = bound(caps, count, count_offset_bytes, [1, WORD_BYTES])?;
    let recording = &mut plan.recording;
    let place = Place::Scratch(recording.scratch.len());
    let per_quad = low_word(plan.element.per_quad());
    let (mut before, mut start) = (0_u64, 0);
    let mut dispatches = Vec::new();
    // Without elements no pass has a window.
    let folds = recording.passes.first_mut().filter(|_| plan.len > 0);
    for fold in folds.into_iter().flat_map(|pass| &mut pass.dispatches) {
        let end = start + TOLD_QUADS as u64 * QUAD_BYTES;
        let told = Bound { binding: binding::TARGET, place, bytes: Some(start..end) };
        let parameters = CountedParameters {
            told: quads_of(&fold.parameters),
            first_count,
            before: u32::try_from(before).unwrap_or(u32::MAX),
            per_quad,
        };
        dispatches.push(RecordedDispatch {
            bindings: vec![count.clone(), told.clone()],
            parameters: parameters.words(),
            grid: [1, 1, 1],
        });
        fold.bindings.push(Bound { binding: binding::PARAMETERS, ..told });
        // The host has nothing to tell it any more.
        before += window_len(&std::mem::take(&mut fold.parameters), per_quad);
        let alignment = caps.uniform_alignment_bytes.max(caps.storage_alignment_bytes).max(1);
        start = end.next_multiple_of(alignment);
    }
    if !dispatches.is_empty() {
        recording.scratch.push(Scratch { bytes: start, contents: Contents::Anything });
        let shader = Shader::Counted;
        recording.passes.insert(0, PlannedPass { shader, constants: Vec::new(), dispatches });
    }
    let recording = plan.recording.within(caps)?;
    Ok(Plan { results: 1, outputs: Outputs::Counted, recording, ..plan })
}

/// What a dispatch is told; zeros follow.
fn quads_of(words: &[u32]) -> [[u32; 4]; TOLD_QUADS] {
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    std::array::from_fn(|quad| std::array::from_fn(|at| word(4 * quad + at)))
}

/// Elements of the window that the parameters of a dispatch begin with.
pub(crate) fn window_len(words: &[u32], per_quad: u32) -> u64 {
    let &[_, head, first_quad, end_quad, _, tail, ..] = words else { return 0 };
    let quads = u64::from(end_quad.saturating_sub(first_quad));
    u64::from(head) + quads * u64::from(per_quad) + u64::from(tail)
}
