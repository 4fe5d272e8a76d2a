//! What will run, decided before anything touches a device.
//!
//! [`Plan::new`] is a function of plain data to plain data: length, offsets, element, operation,
//! tuning and limits go in; passes, grids, byte ranges and kernel parameters come out.

use crate::accumulator::Accumulator;
use crate::caps::{AdapterClass, Caps};
use crate::element::ElementKind;
use crate::error::{Error, Result};
use crate::limits::end_of;
use crate::op::{OpRecord, Over, Precision};
use crate::recording::{
    Bound, Constants, Contents, Parameters, Place, RecordedDispatch, RecordedPass, Recording,
    Scratch, binding,
};
use crate::shader::Shader;
use crate::source::Source;
use crate::tuning::{Combining, Tuning};
use crate::variant::{Collective, Kernel, Sink, Variant};
use crate::window::{MAX_WINDOW_BYTES, Window};
use std::ops::Range;

mod share;
mod show;
mod workgroups;

pub(crate) use share::Ending;
use workgroups::check_turns;

/// Consecutive elements of one buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Where the first of them starts; a multiple of the element's size.
    pub offset_bytes: u64,
    /// How many there are.
    pub len: u64,
}

/// What is to be planned. [`Plan`] has an example.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// The elements to reduce, in order: each part is in a buffer of its own.
    pub input: Vec<Part>,
    /// Where the result goes in its buffer; a multiple of the result's size.
    pub output_offset_bytes: u64,
    /// Whether input and output are the same buffer. A device does not let one dispatch read and
    /// write one buffer, so the passes then part reading the one from writing the other.
    pub in_place: bool,
    /// How a workgroup becomes one value.
    pub collective: Collective,
    /// The numbers that make it fast.
    pub tuning: Tuning,
    /// The device.
    pub caps: Caps,
}

/// Elements in all parts.
fn total_len(parts: &[Part]) -> Result<u64> {
    let sum = parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.len));
    sum.ok_or_else(|| Error::InvalidBuffer { what: "more than 2^64 elements".into() })
}

/// The passes of one reduction: plain data, to be printed, tested or run.
///
/// ```
/// use wgpu_reduce::{Caps, Collective, ElementKind, OpRecord, Part, Plan, PlanRequest, Tuning};
///
/// let caps = Caps::baseline();
/// let plan = Plan::new(&PlanRequest {
///     operation: OpRecord::ALL[0],
///     element: ElementKind::F32,
///     input: vec![Part { offset_bytes: 0, len: 1 << 24 }],
///     output_offset_bytes: 0,
///     in_place: false,
///     collective: Collective::Workgroup,
///     tuning: Tuning::for_len(&caps, ElementKind::F32, 1 << 24),
///     caps,
/// })?;
/// assert_eq!(plan.passes.len(), 1);
/// println!("{plan}");
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// How many inputs there are: 1, or 2 whose elements are paired.
    pub inputs: u32,
    /// Elements reduced, or pairs of them.
    pub len: u64,
    /// In the order they run; each starts when the one before has ended.
    pub passes: Vec<Pass>,
    /// The buffers between passes.
    pub scratch: Vec<Scratch>,
    /// The tuning that shaped it.
    pub tuning: Tuning,
    /// Upper bound of the roundings between any one element and the result.
    pub roundings: u64,
}

/// Dispatches of one pipeline that do not depend on each other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pass {
    /// The shader.
    pub variant: Variant,
    /// What is written.
    pub target: Place,
    /// Bytes of the target that are bound.
    pub target_bytes: Range<u64>,
    /// How partials reach the last workgroup, where it folds them.
    pub handover: Option<Handover>,
    /// One dispatch for each binding window of the source.
    pub dispatches: Vec<Dispatch>,
}

/// Where the workgroups of a pass count themselves in and leave their partials, for one of them to
/// fold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handover {
    /// The counter, and behind it the partials.
    pub place: Place,
    /// Their size.
    pub bytes: u64,
}

/// One dispatch: what is bound, and how many workgroups run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dispatch {
    /// Workgroups that have work.
    pub workgroups: u32,
    /// Workgroups dispatched in x and y; at least `workgroups` in all.
    pub grid: [u32; 2],
    /// What is read.
    pub source: Place,
    /// Bytes of the source that are bound; none where there is nothing to read.
    pub source_bytes: Option<Range<u64>>,
    /// Those of them that are bound as 16-byte quads, where there are any.
    pub quad_bytes: Option<Range<u64>>,
    /// What is read of the second input, where elements of two are paired.
    pub partner: Option<Partner>,
    /// The kernel's parameters, the WGSL struct `Parameters`; zeros follow.
    pub parameters: Parameters,
}

/// What a dispatch reads of the second input.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Partner {
    /// The buffers of the second input come after those of the first.
    pub source: Place,
    /// Bytes that are bound.
    pub source_bytes: Range<u64>,
    /// Those of them that are bound as 16-byte quads, where quads of the first input are paired with
    /// whole quads.
    pub quad_bytes: Option<Range<u64>>,
}

impl Plan {
    /// Plans a reduction. No device is needed, and none is touched.
    ///
    /// Where a workgroup's accumulators would not fit into its memory, the plan has smaller workgroups
    /// than the tuning, and as many more.
    ///
    /// # Errors
    ///
    /// [`Error::NotDefined`] if the operation does not take such elements, [`Error::WrongInputs`] if it
    /// takes pairs, [`Error::Empty`] if there are none and it has no result then,
    /// [`Error::Unsupported`] if it needs `f64` and the device has none, or has limits that no device can have, [`Error::InvalidTuning`] if the
    /// tuning does not fit the
    /// device, [`Error::InvalidBuffer`] if an offset is not a multiple of the size of what lies there,
    /// or the end is beyond 2^62 bytes.
    pub fn new(request: &PlanRequest) -> Result<Self> {
        Self::of(request, None, Ending::Result)
    }

    /// Plans a reduction of pairs: each element of the request's input with that of the same number in
    /// `second`.
    ///
    /// ```
    /// use wgpu_reduce::{Caps, Collective, ElementKind, OpRecord, Part, Plan, PlanRequest, Tuning};
    ///
    /// let caps = Caps::baseline();
    /// let request = PlanRequest {
    ///     operation: OpRecord::PAIRS[0],
    ///     element: ElementKind::F32,
    ///     input: vec![Part { offset_bytes: 0, len: 1000 }],
    ///     output_offset_bytes: 0,
    ///     in_place: false,
    ///     collective: Collective::Workgroup,
    ///     tuning: Tuning::for_len(&caps, ElementKind::F32, 1000),
    ///     caps,
    /// };
    /// let plan = Plan::of_pairs(&request, &[Part { offset_bytes: 12, len: 1000 }])?;
    /// assert_eq!(plan.input_bytes(), 8000);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if one input has more elements than the other; otherwise as
    /// [`new`](Self::new).
    pub fn of_pairs(request: &PlanRequest, second: &[Part]) -> Result<Self> {
        Self::of(request, Some(second), Ending::Result)
    }

    /// Plans what ends in one partial, or in a result: of the request's input, or of the pairs that it makes with a
    /// second one.
    pub(crate) fn of(
        request: &PlanRequest,
        second: Option<&[Part]>,
        ending: Ending,
    ) -> Result<Self> {
        let len = total_len(&request.input)?;
        let right = second.map_or(Ok(len), total_len)?;
        if right != len {
            return Err(Error::LengthMismatch { left: len, right });
        }
        let over = request.operation.over(request.element)?;
        let inputs = if second.is_some() { 2 } else { 1 };
        if over.lifting.inputs() != inputs {
            return Err(Error::WrongInputs { operation: request.operation.name(), inputs });
        }
        Self::build(request, second, (len, None), ending)
    }

    fn build(
        request: &PlanRequest,
        second: Option<&[Part]>,
        (len, partials): (u64, Option<u32>),
        ending: Ending,
    ) -> Result<Self> {
        let over = request.operation.over(request.element)?;
        request.caps.check()?;
        check_turns(&request.caps)?;
        request.operation.check_len(len)?;
        request.operation.check_caps(request.element, &request.caps)?;
        let accumulator_bytes = over.accumulator.size_bytes();
        let tuning = request.tuning.fitted(&request.caps, accumulator_bytes);
        tuning.validate(&request.caps, accumulator_bytes)?;
        let request = &PlanRequest { tuning, ..request.clone() };
        let first_index = ending.first_index();
        Builder {
            request,
            source: Source { request, second, first_index },
            len,
            over,
            accumulator_bytes,
            ending,
            passes: Vec::new(),
            scratch: Vec::new(),
            roundings: 0,
        }
        .build(partials, over.accumulator.rounds())?
        .within(&request.caps)
    }

    /// Bound of the difference between the result and the real sum, given the sum of the elements'
    /// magnitudes; 0 where the result is exact. Only for finite elements and partial sums, and for
    /// operations that do nothing but add up: others have [`Operation::tolerance`].
    ///
    /// [`Operation::tolerance`]: crate::Operation::tolerance
    ///
    /// With n roundings on the way of any element and u = 2^-24, or 2^-53 of `f64`, it is n·u / (1 − n·u) times the sum
    /// of magnitudes (Higham, *Accuracy and Stability of Numerical Algorithms*, §4.2), and twice the
    /// smallest normal number per element for devices that flush subnormal numbers to zero. It is
    /// infinite where n·u reaches 1.
    ///
    /// It holds on devices that round additions to nearest and add in the order that the shader says,
    /// as those known do. WGSL would let them round the other way and reassociate.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a bound; counts are far below 2^53")]
    pub fn error_bound(&self, sum_of_magnitudes: f64) -> f64 {
        if self.roundings == 0 {
            return 0.0;
        }
        let precision = Precision::of(self.element);
        let gamma = precision.gamma(self.roundings);
        if gamma.is_infinite() {
            return f64::INFINITY;
        }
        gamma * sum_of_magnitudes + 2.0 * self.len as f64 * precision.tiny
    }

    /// The commands that run it on a device.
    pub(crate) fn recording(&self, caps: &Caps) -> Recording {
        let passes = self.passes.iter().map(|pass| RecordedPass {
            shader: Shader::Reduction(pass.variant),
            constants: self.constants(pass.variant, caps),
            dispatches: pass.dispatches.iter().map(|dispatch| pass.record(dispatch)).collect(),
        });
        let scratch = self.scratch.clone();
        Recording { passes: passes.collect(), scratch, zero_output: false, times: 1 }
    }

    fn constants(&self, variant: Variant, caps: &Caps) -> Constants {
        let mut constants = vec![("WORKGROUP_SIZE", self.tuning.workgroup_size)];
        if matches!(variant.kernel, Kernel::Elements | Kernel::Pairs) {
            constants.push(("LOADS_IN_FLIGHT", self.tuning.loads_in_flight));
        }
        if variant.kernel == Kernel::Elements {
            // On a CPU more code takes longer to compile than it saves.
            let has_time = caps.class == AdapterClass::Gpu;
            let accumulator = variant.over.accumulator;
            let compares_floats =
                accumulator == Accumulator::Word && self.element.number().is_float();
            let is_long = accumulator.words() > 1 || compares_floats;
            constants.push(("WHOLE_TILES", u32::from(has_time && is_long)));
        }
        constants.extend(variant.collective.constants(caps));
        if variant.sink == Sink::Last {
            let highest = self.tuning.combining == Combining::Highest;
            constants.push(("HIGHEST_FOLDS", u32::from(highest)));
        }
        constants
    }

    /// Bytes of the input, or of both, that are read.
    #[must_use]
    pub const fn input_bytes(&self) -> u64 {
        self.inputs as u64 * self.len * self.element.size_bytes()
    }
}

impl Pass {
    fn record(&self, dispatch: &Dispatch) -> RecordedDispatch {
        let bound = |binding, place, bytes| Bound { binding, place, bytes };
        let mut bindings = vec![
            bound(binding::SOURCE, dispatch.source, dispatch.source_bytes.clone()),
            bound(binding::TARGET, self.target, Some(self.target_bytes.clone())),
        ];
        if matches!(self.variant.kernel, Kernel::Elements | Kernel::Pairs) {
            bindings.push(bound(binding::VECTORS, dispatch.source, dispatch.quad_bytes.clone()));
        }
        if let Some(Partner { source, source_bytes, quad_bytes }) = &dispatch.partner {
            bindings.push(bound(binding::PARTNER_WORDS, *source, Some(source_bytes.clone())));
            bindings.push(bound(binding::PARTNER_QUADS, *source, quad_bytes.clone()));
        }
        if let Some(handover) = &self.handover {
            bindings.push(bound(binding::PARTIALS, handover.place, Some(0..handover.bytes)));
        }
        let [x, y] = dispatch.grid;
        RecordedDispatch { bindings, parameters: dispatch.parameters.to_vec(), grid: [x, y, 1] }
    }
}

struct Builder<'a> {
    request: &'a PlanRequest,
    source: Source<'a>,
    len: u64,
    over: Over,
    accumulator_bytes: u64,
    ending: Ending,
    passes: Vec<Pass>,
    scratch: Vec<Scratch>,
    roundings: u64,
}

impl Builder<'_> {
    /// Folds the elements, or so many partials that are there already.
    fn build(mut self, partials: Option<u32>, rounds: bool) -> Result<Plan> {
        let request = self.request;
        let partials = match partials {
            Some(count) => Some(count),
            None if self.len == 0 => Some(0),
            None => self.fold_elements()?,
        };
        if let Some(mut count) = partials {
            while let Some(left) = self.fold_partials(count)? {
                count = left;
            }
        }
        Ok(Plan {
            operation: request.operation,
            element: request.element,
            inputs: self.over.lifting.inputs(),
            len: self.len,
            passes: self.passes,
            scratch: self.scratch,
            tuning: request.tuning,
            roundings: if rounds { self.roundings } else { 0 },
        })
    }

    /// The first pass. Returns how many partials it leaves, or `None` if it leaves the result.
    fn fold_elements(&mut self) -> Result<Option<u32>> {
        let readings = self.source.readings(self.max_window_bytes())?;
        let workgroups = self.workgroups(&readings);
        let partials = workgroups.iter().try_fold(0_u32, |sum, &n| sum.checked_add(n));
        let partials = partials.ok_or_else(too_many_partials)?;
        let may_finish = !self.request.in_place;
        let hands_over = may_finish && partials > 1 && self.may_hand_over(partials);
        let is_last = may_finish && partials == 1 || hands_over;
        let last_slot = if is_last { self.last_slot()? } else { 0 };
        let mut first_partial = 0;
        let mut dispatches = Vec::with_capacity(readings.len());
        let mut longest_chain = 0;
        for (reading, &workgroups) in readings.into_iter().zip(&workgroups) {
            let first_slot = if is_last { last_slot } else { first_partial };
            let slots = [first_slot, first_partial, partials];
            longest_chain = self.element_chain(&reading.window, workgroups).max(longest_chain);
            dispatches.push(self.source.dispatch(reading, workgroups, slots));
            first_partial += workgroups;
        }
        self.roundings += longest_chain + self.collective_depth();
        if hands_over {
            let turns = partials.div_ceil(self.request.tuning.workgroup_size);
            self.roundings += u64::from(turns) + self.collective_depth();
        }
        let kernel = if self.source.second.is_some() { Kernel::Pairs } else { Kernel::Elements };
        self.push(kernel, dispatches, partials, is_last)
    }

    /// The counter, and the words of the partials, each with a word more for what marks take the place of.
    const fn handover_bytes(&self, partials: u32) -> u64 {
        HANDOVER_HEAD_BYTES + partials as u64 * (self.accumulator_bytes + 4)
    }

    /// Bytes of partials in one binding: whatever a device has room for, indices of their words have 32 bits.
    const fn most_partial_bytes(&self) -> u64 {
        let most = self.request.caps.max_binding_bytes;
        if most < MAX_WINDOW_BYTES { most } else { MAX_WINDOW_BYTES }
    }

    /// Turns that one workgroup takes at most to fold the partials of the others: each has loops over
    /// the words.
    const fn handover_turns(&self) -> u32 {
        HANDOVER_WORD_TURNS / self.over.accumulator.words()
    }

    /// Whether one workgroup of a pass can fold so many partials, and is to.
    const fn may_hand_over(&self, partials: u32) -> bool {
        let Tuning { workgroup_size, max_partials_per_workgroup, combining, .. } =
            self.request.tuning;
        matches!(self.ending, Ending::Result)
            && !matches!(combining, Combining::Passes)
            && workgroup_size >= MIN_HANDOVER_WORKGROUP
            && self.handover_bytes(partials) <= self.most_partial_bytes()
            && partials <= max_partials_per_workgroup
            && partials.div_ceil(workgroup_size) <= self.handover_turns()
    }

    /// A later pass over `count` partials. Returns how many are left, or `None` for the result.
    fn fold_partials(&mut self, count: u32) -> Result<Option<u32>> {
        let Tuning { workgroup_size, max_partials_per_workgroup, .. } = self.request.tuning;
        let most = workgroup_size.saturating_mul(self.request.caps.max_loop_turns);
        let wanted = count.div_ceil(max_partials_per_workgroup.min(most).max(2));
        let workgroups = wanted.clamp(1, self.request.caps.max_grid().min(MAX_LATER_WORKGROUPS));
        if count.div_ceil(workgroups) > most {
            return Err(Error::InvalidTuning {
                what: format!(
                    "{workgroups} workgroups of {workgroup_size} cannot fold {count} partials on this device"
                ),
            });
        }
        let is_last = workgroups == 1;
        let first_slot = if is_last { self.last_slot()? } else { 0 };
        let source = self.scratch.len().checked_sub(1).map_or(Place::Input(0), Place::Scratch);
        let bytes = u64::from(count) * self.accumulator_bytes;
        let dispatches = vec![Dispatch {
            workgroups,
            grid: self.request.caps.grid(workgroups),
            source,
            source_bytes: (count > 0).then_some(0..bytes),
            quad_bytes: None,
            partner: None,
            parameters: [count, workgroups, first_slot, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        }];
        let invocations = workgroups.saturating_mul(self.request.tuning.workgroup_size);
        self.roundings += u64::from(count.div_ceil(invocations)) + self.collective_depth();
        self.push(Kernel::Partials, dispatches, workgroups, is_last)
    }

    /// Adds a pass. Returns how many partials it leaves, or `None` if it leaves the result.
    fn push(
        &mut self,
        kernel: Kernel,
        dispatches: Vec<Dispatch>,
        partials: u32,
        is_last: bool,
    ) -> Result<Option<u32>> {
        let bytes = u64::from(partials) * self.accumulator_bytes;
        if bytes > self.most_partial_bytes() {
            return Err(too_many_partials());
        }
        let handover = (is_last && partials > 1).then(|| Handover {
            place: self.scratch(self.handover_bytes(partials), Contents::Counters),
            bytes: self.handover_bytes(partials),
        });
        let (sink, target, target_bytes) = match (is_last, &handover, self.ending) {
            (false, ..) => (Sink::Partials, self.scratch(bytes, Contents::Anything), 0..bytes),
            (true, _, Ending::Partial { slots, .. }) => {
                (Sink::Partials, Place::Output, 0..u64::from(slots) * self.accumulator_bytes)
            }
            (true, None, _) => (Sink::Result, Place::Output, self.result_bytes()?),
            (true, Some(_), _) => (Sink::Last, Place::Output, self.result_bytes()?),
        };
        let PlanRequest { collective, operation, element, .. } = *self.request;
        let over = self.over;
        let native_u64 = over.is_native_on(&self.request.caps);
        let variant = Variant { kernel, collective, operation, element, sink, native_u64, over };
        self.passes.push(Pass { variant, target, target_bytes, handover, dispatches });
        Ok((!is_last).then_some(partials))
    }

    fn scratch(&mut self, bytes: u64, contents: Contents) -> Place {
        self.scratch.push(Scratch { bytes, contents });
        Place::Scratch(self.scratch.len() - 1)
    }

    /// What is bound of the output: the result, and what lies before it back to an offset that a
    /// binding can have.
    fn result_bytes(&self) -> Result<Range<u64>> {
        let request = self.request;
        let bytes = self.over.output_bytes;
        let offset = request.output_offset_bytes;
        let invalid = |what: String| Error::InvalidBuffer { what };
        if !offset.is_multiple_of(bytes) {
            let what = format!("the result's offset {offset} is not a multiple of {bytes} bytes");
            return Err(invalid(what));
        }
        let end = end_of(offset, [1, bytes])?;
        Ok(offset - offset % request.caps.storage_alignment_bytes.max(1)..end)
    }

    /// Where in the output's binding the last pass leaves what it has, counted in what that is.
    fn last_slot(&self) -> Result<u32> {
        if let Ending::Partial { slot, .. } = self.ending {
            return Ok(slot);
        }
        let bytes = self.result_bytes()?;
        let result = self.over.output_bytes;
        Ok(u32::try_from((bytes.end - bytes.start) / result - 1).unwrap_or(u32::MAX))
    }

    /// Most additions of one invocation that an element passes through in `kernels/elements.wgsl` and
    /// `kernels/pairs.wgsl`.
    fn element_chain(&self, window: &Window, workgroups: u32) -> u64 {
        let tiles = u64::from(window.body_quads()).div_ceil(self.request.tuning.tile_quads());
        let turns = tiles.div_ceil(u64::from(workgroups));
        let per_quad = self.request.element.per_quad();
        let appended = per_quad.div_ceil(4);
        let in_four = u64::from(per_quad.min(4).ilog2());
        let in_tile = appended * u64::from(self.request.tuning.loads_in_flight) - 1;
        let ends = u64::from(window.head.end - window.head.start)
            + u64::from(window.tail.end - window.tail.start);
        in_four + in_tile + turns + ends
    }

    /// Most additions that a value passes through in `collectives/`.
    fn collective_depth(&self) -> u64 {
        let size = self.request.tuning.workgroup_size;
        let steps = |n: u32| u64::from(n.max(1).next_power_of_two().ilog2());
        match (self.request.collective, self.request.caps.subgroups) {
            (Collective::Subgroup, Some(sizes)) => {
                let most_subgroups = size.div_ceil(sizes.min.max(1));
                2 * steps(sizes.max) + u64::from(most_subgroups.div_ceil(sizes.min.max(1)))
            }
            // Subgroups of a size that nothing is known of: at worst, of one invocation.
            (Collective::Subgroup, None) => 2 * steps(size) + u64::from(size),
            (Collective::Workgroup, _) => steps(size),
        }
    }
}

/// Smaller workgroups may not fill a subgroup, and there Mesa's llvmpipe ends loops early that have
/// loops in them.
const MIN_HANDOVER_WORKGROUP: u32 = 32;

/// A later pass has fewer partials than that would keep busy, and with the largest workgroups its invocations are
/// still numbered far within 32 bits.
const MAX_LATER_WORKGROUPS: u32 = 1 << 16;

/// Words of others' partials that one invocation takes at most.
const HANDOVER_WORD_TURNS: u32 = 2000;

/// Where `sinks/last.wgsl` has its counter; the partials' marked words follow.
const HANDOVER_HEAD_BYTES: u64 = 256;

fn too_many_partials() -> Error {
    Error::InvalidTuning {
        what: "so many workgroups leave more partials than one binding holds".into(),
    }
}
