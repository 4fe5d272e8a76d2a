//! The passes of a reduction of segments, whatever folds them.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::cut::bound::bound;
use crate::plan::cut::part::{Part, len_of};
use crate::plan::cut::window::{QUAD_BYTES, WORD_BYTES};
use crate::plan::folding::Folding;
use crate::plan::limits::unsupported;
use crate::plan::planned::{Outputs, Plan};
use crate::plan::problem::Problem;
use crate::plan::recording::{
    Bound, CloseParameters, Constants, Contents, Parameters, Place, PlannedPass, RecordedDispatch,
    Recording, Scratch, SegmentsParameters, SplitParameters, binding, low_word,
};
use crate::plan::shapes::segments::layout::Layout;
use crate::plan::shapes::segments::pass::FoldingPass;
use crate::plan::shapes::segments::pieces::Piece;
use crate::plan::shapes::segments::scan::{collective_of_scan, depth_of_scan};
use crate::plan::shapes::segments::shader::SegmentsShader;
use crate::plan::shapes::segments::tuning::{Closing, SegmentsTuning};
use crate::shader::Shader;
use crate::shader::variant::Collective;

pub(crate) struct Builder<'a> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) folding: Folding<'a>,
    pub(crate) caps: &'a Caps,
    offsets: Part,
    count_offset_bytes: Option<u64>,
    len: u32,
    pub(crate) segments: u32,
    pub(crate) tuning: SegmentsTuning,
    scratch: Vec<Scratch>,
}

/// What all passes bind and say alike.
struct Common {
    offsets: Bound,
    first_offset: u32,
    results: Bound,
    first_slot: u32,
    report: Bound,
    has_lengths: bool,
    /// Where it is said how many segments there are, if it is.
    count: Bound,
    first_count: u32,
}

/// Plans the passes of a problem whose segments these offsets delimit, or the first of them, as many as is said at an offset.
pub(crate) fn lower(
    problem: &Problem<'_>,
    (offsets, count_offset_bytes): (Part, Option<u64>),
    caps: &Caps,
) -> Result<Plan> {
    let element = problem.element;
    let folding = Folding::of(problem.fold, element)?;
    let tuning = problem.tuning(|| SegmentsTuning::for_element(caps, element))?;
    caps.check()?;
    let len = u32::try_from(len_of(problem.first())).ok().filter(|&len| len < u32::MAX);
    let len = len.ok_or_else(|| unsupported("segments of 2^32 - 1 elements or more"))?;
    let none = Error::InvalidOffsets { len: len.into(), first_wrong: None };
    let segments = offsets.len.checked_sub(1).ok_or(none)?;
    let segments = u32::try_from(segments).map_err(|_| unsupported("2^32 segments or more"))?;
    let bytes = folding.accumulator_bytes();
    let tuning = tuning.fitted(caps, element, bytes);
    tuning.validate(caps, element, bytes)?;
    let scratch = Vec::new();
    Builder { problem, folding, caps, offsets, count_offset_bytes, len, segments, tuning, scratch }
        .build()
}

impl Builder<'_> {
    fn build(mut self) -> Result<Plan> {
        let common = self.common()?;
        let pieces = self.pieces()?;
        let shares = pieces.iter().map(|piece| piece.workgroups).sum::<u32>();
        let splits = pieces.last().map_or(0, |last| last.first_split + last.most_tiles + 2);
        let splits = self.scratch(u64::from(splits) * 8)?;
        let partials = self.scratch(u64::from(shares) * self.share_bytes())?;
        let mut recording = Recording::new();
        if self.has_lone_offset() {
            let any = pieces.get(..1).unwrap_or_default();
            recording.passes.push(self.split(any, &common, &splits, None));
        }
        if !self.looks_ahead(&pieces) {
            self.tuning.closing = Closing::Pass;
        }
        if self.tuning.closing == Closing::LookAhead {
            recording.passes.push(self.split(&pieces, &common, &splits, Some(&partials)));
            let pass = FoldingPass::FoldAhead;
            recording.passes.push(self.fold(pass, &pieces, &common, [&splits, &partials]));
        } else if self.segments > 0 {
            recording.passes.push(self.split(&pieces, &common, &splits, None));
            let pass = FoldingPass::Fold;
            recording.passes.push(self.fold(pass, &pieces, &common, [&splits, &partials]));
            if shares > 1 {
                recording.passes.push(self.close(shares, &common, &partials));
            }
        }
        let report_first = common.report.bytes.as_ref().map_or(0, |bytes| bytes.start);
        let roundings = self.roundings(&pieces);
        recording.scratch = self.scratch;
        let (folding, element) = (self.folding, self.problem.element);
        let (len, segments) = (u64::from(self.len), u64::from(self.segments));
        Ok(Plan {
            operation: folding.name(),
            element,
            inputs: 1,
            len,
            results: segments,
            roundings: if folding.rounds() { roundings } else { 0 },
            tuning: self.tuning.into(),
            input_bytes: len * element.size_bytes(),
            result_bytes: folding.output_bytes(),
            loads_in_flight: 0,
            outputs: Outputs::Segments(Layout {
                len,
                segments,
                report_first,
                is_judged: !recording.passes.is_empty(),
                has_lengths: common.has_lengths,
                least_len: 0,
            }),
            recording: recording.within(self.caps)?,
        })
    }

    /// Whether the only offset is to be looked at for the host, which has no other way to know it.
    const fn has_lone_offset(&self) -> bool {
        let is_for_host = self.problem.ends.output_offsets_bytes.is_none();
        self.segments == 0 && self.count_offset_bytes.is_none() && is_for_host
    }

    /// Whether workgroups ask those behind them, in place of another pass. They must all be of one dispatch: nobody waits
    /// for the next. And where there are fewer segments than workgroups, one would have to ask too many.
    fn looks_ahead(&self, pieces: &[Piece]) -> bool {
        let collective = self.collective(self.tuning.workgroup_size);
        let has_votes = self.caps.uniform_votes && collective == Collective::Subgroup;
        let can = has_votes && self.folding.can_be_marked();
        let is_wanted = self.tuning.closing == Closing::LookAhead;
        let is_short = |piece: &Piece| piece.workgroups > 1 && piece.workgroups <= self.segments;
        is_wanted && can && matches!(pieces, [piece] if is_short(piece))
    }

    /// Bytes that one workgroup leaves to the last pass.
    pub(crate) fn share_bytes(&self) -> u64 {
        WORD_BYTES * u64::from(2 + 2 * self.folding.accumulator_words())
    }

    /// A buffer between passes, as a binding is to have it.
    fn scratch(&mut self, bytes: u64) -> Result<Bound> {
        let bytes = bytes.max(QUAD_BYTES);
        if bytes > self.caps.max_binding_bytes {
            return Err(unsupported(
                "so many tiles or workgroups that one binding does not hold what they leave",
            ));
        }
        self.scratch.push(Scratch { bytes, contents: Contents::Anything });
        let place = Place::Scratch(self.scratch.len() - 1);
        Ok(Bound { binding: binding::TARGET, place, bytes: Some(0..bytes) })
    }

    fn common(&mut self) -> Result<Common> {
        let (caps, inputs) = (self.caps, self.problem.first().len());
        let offsets = (binding::PARTNER_WORDS, Place::Input(inputs));
        let Part { offset_bytes, len } = self.offsets;
        let (offsets, first_offset) = bound(caps, offsets, offset_bytes, [len, WORD_BYTES])?;
        let (segments, size) = (u64::from(self.segments), self.folding.output_bytes());
        let first = self.problem.output_offset_bytes();
        let (results, first_slot) =
            bound(caps, (binding::TARGET, Place::Output), first, [segments, size])?;
        let is_for_host = self.problem.ends.output_offsets_bytes.is_none();
        let has_lengths = is_for_host && !self.folding.takes_none();
        let report = if is_for_host {
            let alignment = caps.storage_alignment_bytes.max(QUAD_BYTES);
            let first = (segments * size).next_multiple_of(alignment);
            let words = 1 + if has_lengths { segments } else { 0 };
            bound(caps, (binding::ARRIVALS, Place::Output), first, [words, WORD_BYTES])?.0
        } else {
            Bound { binding: binding::ARRIVALS, ..self.scratch(WORD_BYTES)? }
        };
        let count = Place::Input(inputs + 1);
        let (count, first_count) = match self.count_offset_bytes {
            Some(at) => bound(caps, (binding::FIRST_INPUT, count), at, [1, WORD_BYTES])?,
            None => (Bound { binding: binding::FIRST_INPUT, place: count, bytes: None }, 0),
        };
        Ok(Common {
            offsets,
            first_offset,
            results,
            first_slot,
            report,
            has_lengths,
            count,
            first_count,
        })
    }

    fn collective(&self, workgroup_size: u32) -> Collective {
        if self.folding.takes_any_order() {
            collective_of_scan(self.caps, workgroup_size)
        } else {
            Collective::Workgroup
        }
    }

    fn split_size(&self) -> u32 {
        self.tuning.split_workgroup_size.min(self.caps.workgroup_size())
    }

    /// With `shares` it clears these.
    fn split(
        &self,
        pieces: &[Piece],
        common: &Common,
        splits: &Bound,
        shares: Option<&Bound>,
    ) -> PlannedPass {
        let caps = self.caps;
        let dispatch = |piece: &Piece| {
            let workgroups = piece.most_tiles.div_ceil(self.split_size()).clamp(1, caps.max_grid());
            let [x, y] = caps.grid(workgroups);
            let cleared =
                shares.map(|shares| Bound { binding: binding::PARTIALS, ..shares.clone() });
            let share_bytes =
                shares.and_then(|shares| shares.bytes.as_ref()).map_or(0, |bytes| bytes.end);
            let mut bindings = vec![
                splits.clone(),
                common.report.clone(),
                common.offsets.clone(),
                common.count.clone(),
            ];
            bindings.extend(cleared);
            let parameters = SplitParameters {
                window_first: piece.elements.start,
                window_end: piece.elements.end,
                len: self.len,
                most_segments: self.segments,
                first_offset: common.first_offset,
                tile: self.tuning.tile(self.problem.element),
                most_tiles: piece.most_tiles,
                first_split: piece.first_split,
                is_counted: u32::from(self.count_offset_bytes.is_some()),
                first_count: common.first_count,
                base: low_word(piece.base),
                per_quad: low_word(self.problem.element.per_quad()),
                share_words: low_word(share_bytes / WORD_BYTES),
            };
            RecordedDispatch { bindings, parameters: parameters.words(), grid: [x, y, 1] }
        };
        PlannedPass {
            shader: Shader::Segments(match shares {
                Some(_) => SegmentsShader::SplitAndClear,
                None => SegmentsShader::Split,
            }),
            constants: vec![("WORKGROUP_SIZE", self.split_size())],
            dispatches: pieces.iter().map(dispatch).collect(),
        }
    }

    fn fold(
        &self,
        pass: FoldingPass,
        pieces: &[Piece],
        common: &Common,
        [splits, partials]: [&Bound; 2],
    ) -> PlannedPass {
        let shares = pieces.iter().map(|piece| piece.workgroups).sum::<u32>();
        let dispatch = |piece: &Piece| {
            let bytes = piece.window.as_ref().map(|window| window.bytes.clone());
            let len = bytes.as_ref().map_or(0, |bytes| bytes.end - bytes.start);
            let quads = len - len % QUAD_BYTES;
            let quad_bytes = bytes.as_ref().filter(|_| quads > 0);
            let quad_bytes = quad_bytes.map(|bytes| bytes.start..bytes.start + quads);
            let source = Place::Input(piece.part);
            let [x, y] = self.caps.grid(piece.workgroups);
            let parameters = SegmentsParameters {
                base_low: low_word(piece.base),
                base_high: low_word(piece.base >> 32),
                words: low_word(len / WORD_BYTES),
                len: self.len,
                first_offset: common.first_offset,
                first_split: piece.first_split,
                workgroups: piece.workgroups,
                first_share: piece.first_share,
                first_slot: common.first_slot,
                has_lengths: u32::from(common.has_lengths),
                shares,
                identity_bits: self.folding.identity(),
            };
            RecordedDispatch {
                bindings: vec![
                    Bound { binding: binding::SOURCE, place: source, bytes },
                    Bound { binding: binding::VECTORS, place: source, bytes: quad_bytes },
                    common.results.clone(),
                    common.report.clone(),
                    Bound { binding: binding::PARTIALS, ..partials.clone() },
                    common.offsets.clone(),
                    Bound { binding: binding::FIRST_INPUT, ..splits.clone() },
                ],
                parameters: parameters.words(),
                grid: [x, y, 1],
            }
        };
        let collective = self.collective(self.tuning.workgroup_size);
        let mut constants = self.constants(collective, self.tuning.workgroup_size);
        constants.push(("QUADS", self.tuning.quads));
        let (folding, element, caps) = (&self.folding, self.problem.element, self.caps);
        if !folding.takes_any_order() {
            constants.push(("IN_ORDER", 1));
        }
        PlannedPass {
            shader: pass.shader(folding, collective, element, caps),
            constants: folding.names(constants),
            dispatches: pieces.iter().map(dispatch).collect(),
        }
    }

    fn constants(&self, collective: Collective, workgroup_size: u32) -> Constants {
        let mut constants = collective.constants(self.caps);
        if !self.folding.takes_any_order() {
            constants.clear();
        }
        constants.push(("WORKGROUP_SIZE", workgroup_size));
        constants
    }

    fn close(&self, shares: u32, common: &Common, partials: &Bound) -> PlannedPass {
        let (folding, element, caps) = (&self.folding, self.problem.element, self.caps);
        let workgroup_size = self.tuning.close_size(caps, folding.accumulator_bytes());
        let collective = self.collective(workgroup_size);
        let parameters = CloseParameters {
            shares,
            first_offset: common.first_offset,
            first_slot: common.first_slot,
            identity_bits: folding.identity(),
        };
        PlannedPass {
            shader: FoldingPass::Close.shader(folding, collective, element, caps),
            constants: folding.names(self.constants(collective, workgroup_size)),
            dispatches: vec![RecordedDispatch {
                bindings: vec![
                    Bound { binding: binding::SOURCE, ..partials.clone() },
                    common.results.clone(),
                    common.offsets.clone(),
                ],
                parameters: parameters.words(),
                grid: [1, 1, 1],
            }],
        }
    }

    /// Most roundings between an element and its segment's result.
    fn roundings(&self, pieces: &[Piece]) -> u64 {
        let (caps, element) = (self.caps, self.problem.element);
        let depth = |size: u32| depth_of_scan(caps, size);
        let tiles = |piece: &Piece| u64::from(piece.most_tiles.div_ceil(piece.workgroups.max(1)));
        let most_tiles = pieces.iter().map(tiles).max().unwrap_or(0);
        let shares = pieces.iter().map(|piece| piece.workgroups).sum::<u32>();
        let run = u64::from(self.tuning.run(element)) + 1;
        let whole = 2 * run + most_tiles + depth(self.tuning.workgroup_size);
        let cut = run + depth(self.tuning.workgroup_size);
        let last = if self.looks_ahead(pieces) {
            // One share after another, many at a time: a few of each invocation, and the workgroup's.
            let each = ahead(self.folding.accumulator_words());
            let at_once = u64::from(self.tuning.workgroup_size) * each;
            u64::from(shares).div_ceil(at_once) + 2 + each + depth(self.tuning.workgroup_size)
        } else {
            let close = self.tuning.close_size(caps, self.folding.accumulator_bytes());
            2 * u64::from(shares.div_ceil(close)) + depth(close)
        };
        // To the carry, to what is before, and to what is closed, in the second pass and in the last.
        whole.max(cut) + last + 6
    }
}

/// Shares that an invocation asks at once, as in `segments/closed_ahead.wgsl`.
fn ahead(accumulator_words: u32) -> u64 {
    8_u64.div_ceil(u64::from(accumulator_words.max(1)))
}

#[cfg(test)]
mod tests {
    use super::ahead;

    /// Eight words of them.
    #[test]
    fn shares_that_are_asked_at_once_are_as_many_as_there_are_words_for() {
        assert_eq!([0, 1, 2, 3, 4, 8, 11].map(ahead), [8, 8, 4, 3, 2, 1, 1]);
    }
}
