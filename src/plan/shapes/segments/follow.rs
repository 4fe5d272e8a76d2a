//! Plans followed on the CPU: every element lies behind one binding, once, and every tile that there can be has its place.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "it fails where something does not hold"
)]

use crate::error::Result;
use crate::plan::caps::Caps;
use crate::plan::cut::part::{Part, len_of};
use crate::plan::folding::Folding;
use crate::plan::followed::assert_within;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::{Problem, Shape};
use crate::plan::recording::{
    Bound, CloseParameters, JudgeParameters, Place, PlannedPass, RecordedDispatch,
    SegmentsParameters, SplitParameters, binding,
};
use crate::plan::shapes::segments::SegmentsShader;
use crate::plan::shapes::segments::first_wrong::{TOLD_BYTES, first_wrong};
use crate::shader::Shader;

/// What is bound there.
pub(crate) fn bound(dispatch: &RecordedDispatch, number: u32) -> &Bound {
    let mut bindings = dispatch.bindings.iter();
    bindings.find(|bound| bound.binding == number).unwrap_or_else(|| panic!("{dispatch:?}"))
}

/// Whether so many items of a size from an offset on lie behind a binding, of which so many come before them.
pub(crate) fn assert_covers(bound: &Bound, before: u32, offset: u64, [len, size]: [u64; 2]) {
    let bytes = bound.bytes.clone().unwrap_or(offset..offset);
    let first = bytes.start + u64::from(before) * size;
    assert!(len == 0 || first == offset, "{bound:?} from {before} on is not {offset}");
    assert!(len == 0 || offset + len * size <= bytes.end, "{len} of {size} bytes in {bound:?}");
}

/// Workgroups of a grid.
pub(crate) fn workgroups(dispatch: &RecordedDispatch) -> u64 {
    let [x, y, planes] = dispatch.grid.map(u64::from);
    assert_eq!(planes, 1);
    x * y
}

/// Elements of parts, in order, that have been seen.
struct Seen<'a> {
    input: &'a [Part],
    size: u64,
    elements: u64,
}

impl Seen<'_> {
    /// The next are those from one number to another, which lie behind a binding of a part, where `base` is the number of the first that
    /// could.
    fn see(&mut self, numbers: [u32; 2], source: &Bound, base: u64) {
        let [start, end] = numbers.map(u64::from);
        assert_eq!(start, self.elements, "a gap or an overlap");
        if start == end {
            return;
        }
        let Place::Input(part) = source.place else { panic!("{source:?}") };
        let before: u64 = self.input[..part].iter().map(|part| part.len).sum();
        let Part { offset_bytes, len } = self.input[part];
        assert!(start >= before && end <= before + len, "elements of other parts than {part}");
        let bytes = source.bytes.clone().unwrap();
        let at = bytes.start.wrapping_add(start.wrapping_sub(base).wrapping_mul(self.size));
        assert_eq!(at, offset_bytes + (start - before) * self.size);
        assert!(at + (end - start) * self.size <= bytes.end, "beyond {bytes:?}");
        self.elements = end;
    }
}

/// Every element and every end of a segment has one tile; every tile has a place for where it begins, and every workgroup one for
/// what it leaves.
pub(crate) fn check(problem: &Problem<'_>, plan: &Plan, caps: &Caps) {
    assert_within(&plan.recording, caps);
    let of_offsets = offsets_of(problem);
    let segments = of_offsets.len - 1;
    assert_eq!(plan.results, segments);
    let [split, fold, rest @ ..] = plan.passes() else {
        return check_without_segments(problem, plan);
    };
    let folding = Folding::of(problem.fold, problem.element).unwrap();
    let size = problem.element.size_bytes();
    let mut seen = Seen { input: problem.first(), size, elements: 0 };
    let (mut splits, mut shares) = (0_u64, 0_u64);
    assert_eq!(split.dispatches.len(), fold.dispatches.len());
    for (split, fold) in split.dispatches.iter().zip(&fold.dispatches) {
        let (told, of_fold): (SplitParameters, SegmentsParameters) = (split.told(), fold.told());
        let SplitParameters { window_first: start, window_end: end, tile, first_split, .. } = told;
        let SegmentsParameters { workgroups: groups, first_share: share, .. } = of_fold;
        let base = u64::from(of_fold.base_high) << 32 | u64::from(of_fold.base_low);
        seen.see([start, end], bound(fold, binding::SOURCE), base);
        assert_eq!([told.len, told.most_segments].map(u64::from), [plan.len, segments]);
        let items = u64::from(end - start) + segments;
        let [tile, tiles] = [tile, told.most_tiles].map(u64::from);
        assert!(tiles * tile >= items && (tiles - 1) * tile < items, "{tiles} tiles of {tile}");
        assert_eq!((u64::from(first_split), first_split), (splits, of_fold.first_split));
        splits += tiles + 2;
        assert_eq!(u64::from(share), shares);
        assert!(groups >= 1 && workgroups(fold) >= groups.into() && workgroups(split) >= 1);
        shares += u64::from(groups);
        for (dispatch, first) in [(split, told.first_offset), (fold, of_fold.first_offset)] {
            let offsets = bound(dispatch, binding::PARTNER_WORDS);
            assert_covers(offsets, first, of_offsets.offset_bytes, [segments + 1, 4]);
        }
        let (first, result) = (problem.output_offset_bytes(), folding.output_bytes());
        let results = bound(fold, binding::TARGET);
        assert_covers(results, of_fold.first_slot, first, [segments, result]);
    }
    assert_eq!(seen.elements, plan.len, "{plan}");
    let fold = &fold.dispatches[0];
    assert_covers(bound(fold, binding::FIRST_INPUT), 0, 0, [splits, 8]);
    let share_bytes = 4 * (2 + 2 * u64::from(folding.accumulator_words()));
    assert_covers(bound(fold, binding::PARTIALS), 0, 0, [shares, share_bytes]);
    let looks_ahead = fold.bindings.iter().any(|bound| {
        let of_split = split.dispatches.first().into_iter().flat_map(|split| &split.bindings);
        bound.binding == binding::PARTIALS && of_split.into_iter().any(|cleared| cleared == bound)
    });
    if looks_ahead {
        assert!(caps.waits_for_others, "{plan}");
        let cleared = |split: &RecordedDispatch| split.told::<SplitParameters>().share_words;
        let cleared = split.dispatches.iter().map(|split| 4 * u64::from(cleared(split)));
        assert!(cleared.eq([shares * share_bytes]), "{plan}");
        assert_eq!(
            (split.dispatches.len(), u64::from(fold.told::<SegmentsParameters>().shares)),
            (1, shares)
        );
    }
    assert_eq!(rest.len(), usize::from(shares > 1 && !looks_ahead), "{plan}");
    for close in rest.iter().flat_map(|pass| &pass.dispatches) {
        assert_eq!(u64::from(close.told::<CloseParameters>().shares), shares);
    }
}

/// The host is told of the only offset; elsewhere there is nothing to do.
fn check_without_segments(problem: &Problem<'_>, plan: &Plan) {
    assert_eq!(plan.results, 0);
    let is_for_host = matches!(problem.shape, Shape::Segments(_, None))
        && problem.ends.output_offsets_bytes.is_none();
    let Outputs::Segments(layout) = plan.outputs else { panic!("{plan}") };
    assert_eq!((layout.is_judged, plan.passes().len()), (is_for_host, is_for_host.into()));
    for split in plan.passes().iter().flat_map(|pass| &pass.dispatches) {
        let SplitParameters { len, most_segments, first_offset, .. } = split.told();
        assert_eq!((u64::from(len), most_segments), (plan.len, 0));
        let offsets = bound(split, binding::PARTNER_WORDS);
        assert_covers(offsets, first_offset, offsets_of(problem).offset_bytes, [1, 4]);
        assert_covers(bound(split, binding::ARRIVALS), 0, 0, [1, 4]);
    }
}

/// Where the offsets lie.
fn offsets_of(problem: &Problem<'_>) -> Part {
    let Shape::Segments(offsets, _) = problem.shape else { panic!("{problem:?}") };
    offsets
}

/// The only dispatch of a pass that has one workgroup.
fn only(pass: &PlannedPass, shader: SegmentsShader) -> &RecordedDispatch {
    assert_eq!(pass.shader, Shader::Segments(shader));
    let [dispatch] = &pass.dispatches[..] else { panic!("{pass:?}") };
    assert_eq!(dispatch.grid, [1, 1, 1]);
    dispatch
}

/// What finds the first wrong one of the request's offsets sees each of them, and says it in three words.
pub(crate) fn check_first_wrong(problem: &Problem<'_>, caps: &Caps) -> Result<()> {
    let (len, of_offsets) = (len_of(problem.first()), offsets_of(problem));
    let recording = first_wrong(of_offsets, len, caps)?;
    assert_within(&recording, caps);
    let [pass] = &recording.passes[..] else { panic!("{recording:?}") };
    let dispatch = only(pass, SegmentsShader::Judge);
    let JudgeParameters { first_offset, offsets, len: most } = dispatch.told();
    assert_eq!([offsets, most].map(u64::from), [of_offsets.len, len]);
    let seen = bound(dispatch, binding::PARTNER_WORDS);
    assert_eq!(seen.place, Place::Input(0));
    assert_covers(seen, first_offset, of_offsets.offset_bytes, [of_offsets.len, 4]);
    let told = bound(dispatch, binding::TARGET);
    assert_eq!((told.place, &told.bytes), (Place::Output, &Some(0..TOLD_BYTES)));
    Ok(())
}
