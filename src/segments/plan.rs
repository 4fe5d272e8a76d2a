//! What a reduction of segments runs, decided before anything touches a device.

use super::shader::{SegmentsParts, SegmentsShader};
use super::tuning::SegmentsTuning;
use crate::accumulator::Accumulator;
use crate::caps::{AdapterClass, Caps};
use crate::element::ElementKind;
use crate::error::{Error, Result};
use crate::op::{OpRecord, Over};
use crate::plan::{Part, Plan};
use crate::recording::{
    Bound, Constants, Contents, Place, RecordedDispatch, RecordedPass, Recording, Scratch, binding,
};
use crate::shader::Shader;
use crate::source::{index_of, low_word};
use crate::tuning::{Tuning, largest_power_of_two};
use crate::variant::Collective;
use crate::window::{QUAD_BYTES, WORD_BYTES, Window, split_parts};
use std::fmt;
use std::ops::Range;

/// What is to be planned.
#[derive(Debug, Clone)]
pub struct SegmentsRequest {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// The elements, in order: each part is in a buffer of its own.
    pub input: Vec<Part>,
    /// The offsets, one more than there are segments.
    pub offsets: Part,
    /// Where a number lies that says how many of the segments there are, if it is not all of them.
    pub count_offset_bytes: Option<u64>,
    /// Where the results go in their buffer; `None` where behind them a report for the host is wanted.
    pub output_offset_bytes: Option<u64>,
    /// The numbers that make it fast.
    pub tuning: SegmentsTuning,
    /// The device.
    pub caps: Caps,
}

/// The passes of one reduction of segments: plain data, to be printed, tested or run.
///
/// ```
/// use wgpu_reduce::{
///     Caps, ElementKind, OpRecord, Part, SegmentsPlan, SegmentsRequest, SegmentsTuning,
/// };
///
/// let caps = Caps::baseline();
/// let plan = SegmentsPlan::new(&SegmentsRequest {
///     operation: OpRecord::ALL[0],
///     element: ElementKind::F32,
///     input: vec![Part { offset_bytes: 0, len: 1 << 24 }],
///     offsets: Part { offset_bytes: 0, len: 1 << 20 },
///     count_offset_bytes: None,
///     output_offset_bytes: Some(0),
///     tuning: SegmentsTuning::for_element(&caps, ElementKind::F32),
///     caps,
/// })?;
/// assert_eq!(plan.segments(), (1 << 20) - 1);
/// println!("{plan}");
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentsPlan {
    operation: &'static OpRecord,
    element: ElementKind,
    len: u64,
    segments: u64,
    tuning: SegmentsTuning,
    roundings: u64,
    pub(crate) report_first: u64,
    pub(crate) has_lengths: bool,
    pub(crate) recording: Recording,
}

impl SegmentsPlan {
    /// Plans a reduction of segments. No device is needed, and none is touched.
    ///
    /// # Errors
    ///
    /// [`Error::NotDefined`] if the operation does not take such elements, [`Error::WrongInputs`] if it
    /// takes pairs, [`Error::InvalidOffsets`] if there is no offset, [`Error::Unsupported`] if there are
    /// 2^32 elements or more, if one binding does not hold offsets or results, or if the device has no
    /// `f64` and it is needed, [`Error::InvalidTuning`] if the tuning does not fit the device,
    /// [`Error::InvalidBuffer`] if an offset is not a multiple of the size of what lies there.
    pub fn new(request: &SegmentsRequest) -> Result<Self> {
        let over = request.operation.over(request.element)?;
        if over.lifting.inputs() != 1 {
            let operation = request.operation.name();
            return Err(Error::WrongInputs { operation, inputs: 1 });
        }
        request.operation.check_caps(request.element, &request.caps)?;
        let len = request.input.iter().fold(0_u64, |sum, part| sum.saturating_add(part.len));
        let len = u32::try_from(len).ok().filter(|&len| len < u32::MAX);
        let len = len.ok_or_else(|| unsupported("segments of 2^32 elements or more"))?;
        let segments = request.offsets.len.checked_sub(1).and_then(|n| u32::try_from(n).ok());
        let segments = segments.ok_or(Error::InvalidOffsets { len: len.into() })?;
        let tuning = request.tuning.fitted(&request.caps, request.element, over.accumulator);
        tuning.validate(&request.caps, request.element, over.accumulator)?;
        Builder { request, over, len, segments, tuning, scratch: Vec::new() }.build()
    }

    /// The operation.
    #[must_use]
    pub const fn operation(&self) -> &'static OpRecord {
        self.operation
    }

    /// Elements, whether they are in a segment or not.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Segments; at most, if their number lies on the device.
    #[must_use]
    pub const fn segments(&self) -> u64 {
        self.segments
    }

    /// The tuning that shaped it.
    #[must_use]
    pub const fn tuning(&self) -> SegmentsTuning {
        self.tuning
    }

    /// Passes, in the order they run.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.recording.passes.len()
    }

    /// Bytes of values, offsets and results, each read or written once.
    #[must_use]
    pub fn least_bytes(&self) -> u64 {
        let result = self.operation.over(self.element).map_or(0, |over| over.output_bytes);
        self.len * self.element.size_bytes() + self.segments * (WORD_BYTES + result)
    }

    /// What the host gets: results, whether an offset is wrong, and lengths where it needs them.
    pub(crate) const fn host_bytes(&self) -> u64 {
        let lengths = if self.has_lengths { self.segments } else { 0 };
        self.report_first + WORD_BYTES * (1 + lengths)
    }

    /// For bounds of what a segment's result is off by, as [`Operation::tolerance`] gives them: a plan of
    /// so many elements, without passes of its own, in which elements are rounded as often as in any
    /// segment of this one.
    ///
    /// [`Operation::tolerance`]: crate::Operation::tolerance
    #[must_use]
    pub fn of_segment(&self, len: u64) -> Plan {
        Plan {
            operation: self.operation,
            element: self.element,
            inputs: 1,
            len,
            passes: Vec::new(),
            scratch: Vec::new(),
            tuning: Tuning::for_len(&Caps::baseline(), self.element, len),
            roundings: self.roundings,
        }
    }
}

fn unsupported(what: &str) -> Error {
    Error::Unsupported { what: what.into(), adapter: "the device".into() }
}

/// Elements behind one binding, and the workgroups that share them.
struct Piece {
    part: usize,
    window: Option<Window>,
    /// Elements of the input.
    elements: Range<u32>,
    /// What is added to an index behind the binding to get that in the input.
    base: u64,
    most_tiles: u32,
    workgroups: u32,
    first_split: u32,
    first_share: u32,
}

struct Builder<'a> {
    request: &'a SegmentsRequest,
    over: Over,
    len: u32,
    segments: u32,
    tuning: SegmentsTuning,
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
}

impl Builder<'_> {
    fn build(mut self) -> Result<SegmentsPlan> {
        let common = self.common()?;
        let pieces = self.pieces()?;
        let shares = pieces.iter().map(|piece| piece.workgroups).sum::<u32>();
        let splits = pieces.last().map_or(0, |last| last.first_split + last.most_tiles + 2);
        let splits = self.scratch(u64::from(splits) * 8)?;
        let share_bytes = WORD_BYTES * u64::from(2 + 2 * self.over.accumulator.words());
        let partials = self.scratch(u64::from(shares) * share_bytes)?;
        let mut recording = Recording::new();
        if self.segments > 0 {
            recording.passes.push(self.split(&pieces, &common, &splits));
            recording.passes.push(self.fold(&pieces, &common, &splits, &partials));
            if shares > 1 {
                recording.passes.push(self.close(shares, &common, &partials));
            }
        }
        let report_first = common.report.bytes.as_ref().map_or(0, |bytes| bytes.start);
        let roundings = self.roundings(&pieces);
        recording.scratch = self.scratch;
        Ok(SegmentsPlan {
            operation: self.request.operation,
            element: self.request.element,
            len: self.len.into(),
            segments: self.segments.into(),
            tuning: self.tuning,
            roundings: if self.over.accumulator.rounds() { roundings } else { 0 },
            report_first,
            has_lengths: common.has_lengths,
            recording,
        })
    }

    /// A buffer between passes, as a binding is to have it.
    fn scratch(&mut self, bytes: u64) -> Result<Bound> {
        let bytes = bytes.max(QUAD_BYTES);
        self.check_binding(bytes)?;
        self.scratch.push(Scratch { bytes, contents: Contents::Anything });
        let place = Place::Scratch(self.scratch.len() - 1);
        Ok(Bound { binding: binding::TARGET, place, bytes: Some(0..bytes) })
    }

    fn check_binding(&self, bytes: u64) -> Result<()> {
        if bytes > self.request.caps.max_binding_bytes {
            return Err(unsupported("so many segments that one binding does not hold them"));
        }
        Ok(())
    }

    /// What lies from an offset on, behind a binding that starts where one may, and how many items of that
    /// size lie before it there.
    fn bound(
        &self,
        number: u32,
        place: Place,
        offset: u64,
        [len, size]: [u64; 2],
    ) -> Result<(Bound, u32)> {
        let invalid = || Error::InvalidBuffer {
            what: format!("offset {offset} is not a multiple of {size} bytes, or too large"),
        };
        let end = len.checked_mul(size).and_then(|bytes| bytes.checked_add(offset));
        let end = end.filter(|_| offset.is_multiple_of(size)).ok_or_else(invalid)?;
        let start = offset - offset % self.request.caps.storage_alignment_bytes.max(1);
        self.check_binding(end - start)?;
        let bytes = (end > start).then_some(start..end);
        let before = u32::try_from((offset - start) / size).map_err(|_| invalid())?;
        Ok((Bound { binding: number, place, bytes }, before))
    }

    fn common(&mut self) -> Result<Common> {
        let request = self.request;
        let offsets = Place::Input(request.input.len());
        let Part { offset_bytes, len } = request.offsets;
        let (offsets, first_offset) =
            self.bound(binding::PARTNER_WORDS, offsets, offset_bytes, [len, WORD_BYTES])?;
        let (segments, size) = (u64::from(self.segments), self.over.output_bytes);
        let first = request.output_offset_bytes.unwrap_or(0);
        let (results, first_slot) =
            self.bound(binding::TARGET, Place::Output, first, [segments, size])?;
        let has_lengths = request.output_offset_bytes.is_none() && !request.operation.takes_none();
        let report = if request.output_offset_bytes.is_none() {
            let alignment = request.caps.storage_alignment_bytes.max(QUAD_BYTES);
            let first = (segments * size).next_multiple_of(alignment);
            let words = 1 + if has_lengths { segments } else { 0 };
            self.bound(binding::ARRIVALS, Place::Output, first, [words, WORD_BYTES])?.0
        } else {
            Bound { binding: binding::ARRIVALS, ..self.scratch(WORD_BYTES)? }
        };
        Ok(Common { offsets, first_offset, results, first_slot, report, has_lengths })
    }

    fn pieces(&self) -> Result<Vec<Piece>> {
        let SegmentsRequest { element, input, caps, .. } = self.request;
        let size = element.size_bytes();
        let windows = split_parts(input, size, caps, u64::MAX)?;
        let mut windows: Vec<_> =
            windows.into_iter().map(|(part, window)| (part, Some(window))).collect();
        if windows.is_empty() {
            windows.push((0, None));
        }
        let (mut first_split, mut first_share) = (0, 0_u32);
        let mut pieces = Vec::with_capacity(windows.len());
        for (part, window) in windows {
            let (base, elements) = window.as_ref().map_or((0, 0..0), |window| {
                let base = index_of(input, size, part, window.bytes.start);
                let index = |at: u32| low_word(base).wrapping_add(at);
                let end = if window.body.is_empty() { window.head.end } else { window.tail.end };
                (base, index(window.head.start)..index(end))
            });
            let items = u64::from(elements.end - elements.start) + u64::from(self.segments);
            let most_tiles = items.div_ceil(self.tuning.tile(*element).into());
            let most_tiles = u32::try_from(most_tiles).map_err(|_| too_many_tiles())?;
            let workgroups = self.workgroups(most_tiles)?;
            pieces.push(Piece {
                part,
                window,
                elements,
                base,
                most_tiles,
                workgroups,
                first_split,
                first_share,
            });
            let next = first_split.checked_add(most_tiles).and_then(|next| next.checked_add(2));
            first_split = next.ok_or_else(too_many_tiles)?;
            first_share = first_share.checked_add(workgroups).ok_or_else(too_many_tiles)?;
        }
        Ok(pieces)
    }

    /// As many as there may be, but no more than tiles; more, where loops are ended early.
    fn workgroups(&self, tiles: u32) -> Result<u32> {
        let caps = &self.request.caps;
        let words = self.over.accumulator.words();
        let run = self.tuning.run(self.request.element);
        let turns = TURNS_PER_TILE + 4 * run + words * TURNS_PER_WORD;
        let most = (caps.max_loop_turns / turns).max(1);
        let wanted = self.tuning.max_workgroups.min(caps.max_grid()).min(tiles).max(1);
        let workgroups = wanted.max(tiles.div_ceil(most));
        if workgroups > caps.max_grid() {
            return Err(unsupported("so many elements in grids so small"));
        }
        Ok(workgroups)
    }

    fn parts(&self) -> SegmentsParts {
        let SegmentsRequest { operation, element, caps, .. } = self.request;
        SegmentsParts {
            collective: self.collective(self.tuning.workgroup_size),
            operation,
            element: *element,
            native_u64: self.over.is_native_on(caps),
            over: self.over,
        }
    }

    /// Subgroups number the invocations only where all have one size.
    fn collective(&self, workgroup_size: u32) -> Collective {
        match self.request.caps.subgroups {
            Some(sizes) if sizes.min == sizes.max && workgroup_size >= sizes.max => {
                Collective::Subgroup
            }
            _ => Collective::Workgroup,
        }
    }

    fn split(&self, pieces: &[Piece], common: &Common, splits: &Bound) -> RecordedPass {
        let SegmentsRequest { caps, count_offset_bytes, input, .. } = self.request;
        let alignment = caps.storage_alignment_bytes.max(1);
        let count = Bound {
            binding: binding::FIRST_INPUT,
            place: Place::Input(input.len() + 1),
            bytes: count_offset_bytes.map(|at| at - at % alignment..at + WORD_BYTES),
        };
        let first_count = count_offset_bytes.map_or(0, |at| low_word(at % alignment / WORD_BYTES));
        let dispatch = |piece: &Piece| {
            let workgroups = piece.most_tiles.div_ceil(SPLIT_WORKGROUP).clamp(1, caps.max_grid());
            let [x, y] = caps.grid(workgroups);
            RecordedDispatch {
                bindings: vec![
                    splits.clone(),
                    common.report.clone(),
                    common.offsets.clone(),
                    count.clone(),
                ],
                parameters: vec![
                    piece.elements.start,
                    piece.elements.end,
                    self.len,
                    self.segments,
                    common.first_offset,
                    self.tuning.tile(self.request.element),
                    piece.most_tiles,
                    piece.first_split,
                    u32::from(count_offset_bytes.is_some()),
                    first_count,
                    low_word(piece.base),
                    low_word(self.request.element.per_quad()),
                ],
                grid: [x, y, 1],
            }
        };
        RecordedPass {
            shader: Shader::Segments(SegmentsShader::Split),
            constants: vec![("WORKGROUP_SIZE", SPLIT_WORKGROUP.min(caps.max_workgroup_size))],
            dispatches: pieces.iter().map(dispatch).collect(),
        }
    }

    fn fold(
        &self,
        pieces: &[Piece],
        common: &Common,
        splits: &Bound,
        partials: &Bound,
    ) -> RecordedPass {
        let shares = pieces.iter().map(|piece| piece.workgroups).sum::<u32>();
        let dispatch = |piece: &Piece| {
            let bytes = piece.window.as_ref().map(|window| window.bytes.clone());
            let len = bytes.as_ref().map_or(0, |bytes| bytes.end - bytes.start);
            let quads = len - len % QUAD_BYTES;
            let quad_bytes = bytes.as_ref().filter(|_| quads > 0);
            let quad_bytes = quad_bytes.map(|bytes| bytes.start..bytes.start + quads);
            let source = Place::Input(piece.part);
            let [x, y] = self.request.caps.grid(piece.workgroups);
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
                parameters: vec![
                    low_word(piece.base),
                    low_word(piece.base >> 32),
                    low_word(len / WORD_BYTES),
                    self.len,
                    common.first_offset,
                    piece.first_split,
                    piece.workgroups,
                    piece.first_share,
                    common.first_slot,
                    u32::from(common.has_lengths),
                    u32::from(shares == 1),
                    0,
                ],
                grid: [x, y, 1],
            }
        };
        let parts = self.parts();
        let mut constants = self.constants(&parts, self.tuning.workgroup_size);
        constants.push(("QUADS", self.tuning.quads));
        RecordedPass {
            shader: Shader::Segments(SegmentsShader::Fold(parts)),
            constants,
            dispatches: pieces.iter().map(dispatch).collect(),
        }
    }

    fn constants(&self, parts: &SegmentsParts, workgroup_size: u32) -> Constants {
        let mut constants = parts.constants(&self.request.caps);
        constants.push(("WORKGROUP_SIZE", workgroup_size));
        constants
    }

    fn close(&self, shares: u32, common: &Common, partials: &Bound) -> RecordedPass {
        let SegmentsRequest { caps, .. } = self.request;
        let workgroup_size = close_workgroup(caps, self.tuning, self.over.accumulator);
        let parts = SegmentsParts { collective: self.collective(workgroup_size), ..self.parts() };
        RecordedPass {
            shader: Shader::Segments(SegmentsShader::Close(parts)),
            constants: self.constants(&parts, workgroup_size),
            dispatches: vec![RecordedDispatch {
                bindings: vec![
                    Bound { binding: binding::SOURCE, ..partials.clone() },
                    common.results.clone(),
                    common.offsets.clone(),
                ],
                parameters: vec![shares, common.first_offset, common.first_slot, 0],
                grid: [1, 1, 1],
            }],
        }
    }

    /// Most roundings between an element and its segment's result.
    fn roundings(&self, pieces: &[Piece]) -> u64 {
        let SegmentsRequest { caps, element, .. } = self.request;
        let steps = |n: u32| u64::from(n.max(1).next_power_of_two().ilog2());
        // Of any collective and scan: a tree, or two and the totals of subgroups one after another.
        let depth = |size: u32| {
            let subgroups = caps.subgroups.map_or(0, |sizes| size.div_ceil(sizes.min.max(1)));
            2 * steps(size) + u64::from(subgroups) + 1
        };
        let tiles = |piece: &Piece| u64::from(piece.most_tiles.div_ceil(piece.workgroups.max(1)));
        let most_tiles = pieces.iter().map(tiles).max().unwrap_or(0);
        let shares = pieces.iter().map(|piece| piece.workgroups).sum::<u32>();
        let run = u64::from(self.tuning.run(*element)) + 1;
        let whole = 2 * run + most_tiles + depth(self.tuning.workgroup_size);
        let cut = run + depth(self.tuning.workgroup_size);
        let close = close_workgroup(caps, self.tuning, self.over.accumulator);
        let last = 2 * u64::from(shares.div_ceil(close)) + depth(close);
        // To the carry, to what is before, and to what is closed, in the second pass and in the last.
        whole.max(cut) + last + 6
    }
}

/// Invocations of the pass that looks for tiles.
const SPLIT_WORKGROUP: u32 = 64;

/// Turns of the loops of `segments/fold.wgsl` for a tile, apart from those for each element of a run and
/// those for each word of an accumulator that is shuffled; generously.
const TURNS_PER_TILE: u32 = 256;
const TURNS_PER_WORD: u32 = 40;

/// The last pass is one workgroup, and large on a GPU: there are thousands of shares.
fn close_workgroup(caps: &Caps, tuning: SegmentsTuning, of: Accumulator) -> u32 {
    let mut size = match caps.class {
        AdapterClass::Gpu => largest_power_of_two(caps.max_workgroup_size),
        AdapterClass::Cpu => tuning.workgroup_size,
    };
    let bytes = |size| u64::from(size) * (of.size_bytes().next_multiple_of(8) + WORD_BYTES);
    while size > 1 && bytes(size) > u64::from(caps.workgroup_storage_bytes) {
        size /= 2;
    }
    size
}

fn too_many_tiles() -> Error {
    unsupported("so many segments and elements at once")
}

impl fmt::Display for SegmentsPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, element, len, segments, tuning, .. } = self;
        writeln!(
            f,
            "{} of {segments} segments of {len} {element} elements; {tuning}",
            operation.name()
        )?;
        for (index, pass) in self.recording.passes.iter().enumerate() {
            writeln!(f, "  pass {}: {}", index + 1, pass.shader)?;
            for dispatch in &pass.dispatches {
                let [x, y, _] = dispatch.grid;
                writeln!(f, "    {x} x {y} workgroups")?;
            }
        }
        if self.roundings > 0 {
            writeln!(f, "  at most {} roundings per element", self.roundings)?;
        }
        Ok(())
    }
}
