//! What will run, decided before anything touches a device.
//!
//! [`WholePlan::new`] is a function of plain data to plain data: length, offsets, element, operation,
//! tuning and limits go in; passes, grids, byte ranges and kernel parameters come out.

use crate::error::{Error, Result};
use crate::op::accumulator::Accumulator;
use crate::op::element::ElementKind;
use crate::op::{Accuracy, OpRecord};
use crate::plan::caps::{AdapterClass, Caps};
use crate::plan::cut::pair::Partner;
use crate::plan::cut::part::{Part, len_of};
use crate::plan::recording::{
    Bound, Constants, Place, RecordedDispatch, RecordedPass, Recording, Scratch, ShownParameters,
    binding,
};
use crate::plan::tuning::{Combining, Tuning};
use crate::shader::Shader;
use crate::shader::variant::{Collective, Kernel, Sink, Variant};
use std::ops::Range;

mod build;
mod share;
mod show;
#[cfg(test)]
mod tests;
mod workgroups;

pub(crate) use share::Ending;

/// What is to be planned. [`WholePlan`] has an example.
#[derive(Debug, Clone)]
pub struct WholeRequest {
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

/// The passes of one reduction: plain data, to be printed, tested or run.
///
/// ```
/// use wgpu_reduce::planners::{Collective, WholePlan, WholeRequest};
/// use wgpu_reduce::{Caps, ElementKind, Operation, Part, Sum, Tuning};
///
/// let caps = Caps::baseline();
/// let plan = WholePlan::new(&WholeRequest {
///     operation: Operation::<f32>::record(&Sum),
///     element: ElementKind::F32,
///     input: vec![Part { offset_bytes: 0, len: 1 << 24 }],
///     output_offset_bytes: 0,
///     in_place: false,
///     collective: Collective::Workgroup,
///     tuning: Tuning::for_len(&caps, ElementKind::F32, 1 << 24),
///     caps,
/// })?;
/// let [pass] = &plan.passes[..] else { panic!("{plan}") };
/// for dispatch in &pass.dispatches {
///     let (grid, source) = (dispatch.grid, dispatch.source);
///     println!("{} in {grid:?} workgroups, from {source:?} to {:?}", pass.variant, pass.target);
/// }
/// println!("{plan}");
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WholePlan {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// How many inputs there are: 1, or 2 whose elements are paired.
    pub inputs: u32,
    /// Elements reduced, or pairs of them.
    pub len: u64,
    /// One more than the last element's index in the input, of which this may be a chunk; the largest number of all where
    /// it is not known.
    pub(crate) index_end: u64,
    /// In the order they run; each starts when the one before has ended.
    pub passes: Vec<WholePass>,
    /// The buffers between passes.
    pub scratch: Vec<Scratch>,
    /// The tuning that shaped it.
    pub tuning: Tuning,
    /// Upper bound of the roundings between any one element and the result.
    pub roundings: u64,
}

/// Dispatches of one pipeline that do not depend on each other. [`WholePlan`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WholePass {
    /// The shader.
    pub variant: Variant,
    /// What is written.
    pub target: Place,
    /// Bytes of the target that are bound.
    pub target_bytes: Range<u64>,
    /// How partials reach the last workgroup, where it folds them.
    pub handover: Option<Handover>,
    /// One dispatch for each binding window of the source.
    pub dispatches: Vec<WholeDispatch>,
}

/// Where the workgroups of a pass count themselves in and leave their partials, for one of them to
/// fold. [`WholePlan`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handover {
    /// The counter, and behind it the partials.
    pub place: Place,
    /// Their size.
    pub bytes: u64,
}

/// One dispatch: what is bound, and how many workgroups run. [`WholePlan`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WholeDispatch {
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
    pub parameters: ShownParameters,
}

impl WholePlan {
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
    /// the end is beyond 2^62 bytes, or there are more elements than a result can be of, as one of
    /// [`SumExact`](crate::SumExact) of more than 2^42.
    pub fn new(request: &WholeRequest) -> Result<Self> {
        Self::of(request, None, Ending::Result)
    }

    /// Plans a reduction of pairs: each element of the request's input with that of the same number in
    /// `second`.
    ///
    /// ```
    /// use wgpu_reduce::planners::{Collective, WholePlan, WholeRequest};
    /// use wgpu_reduce::{Caps, Dot, ElementKind, PairOperation, Part, Tuning};
    ///
    /// let caps = Caps::baseline();
    /// let request = WholeRequest {
    ///     operation: PairOperation::<f32>::record(&Dot),
    ///     element: ElementKind::F32,
    ///     input: vec![Part { offset_bytes: 0, len: 1000 }],
    ///     output_offset_bytes: 0,
    ///     in_place: false,
    ///     collective: Collective::Workgroup,
    ///     tuning: Tuning::for_len(&caps, ElementKind::F32, 1000),
    ///     caps,
    /// };
    /// let plan = WholePlan::of_pairs(&request, &[Part { offset_bytes: 12, len: 1000 }])?;
    /// assert_eq!(plan.input_bytes(), 8000);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if one input has more elements than the other; otherwise as
    /// [`new`](Self::new).
    pub fn of_pairs(request: &WholeRequest, second: &[Part]) -> Result<Self> {
        Self::of(request, Some(second), Ending::Result)
    }

    /// Plans what ends in one partial, or in a result: of the request's input, or of the pairs that it makes with a
    /// second one.
    pub(crate) fn of(
        request: &WholeRequest,
        second: Option<&[Part]>,
        ending: Ending,
    ) -> Result<Self> {
        let len = len_of(&request.input);
        let right = second.map_or(len, len_of);
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

    /// What bounds of the result's error are made of.
    #[must_use]
    pub fn accuracy(&self) -> Accuracy {
        Accuracy::new(self.element, self.len, self.roundings, self.tuning.loads_in_flight)
    }

    /// Bytes of the result, as the device leaves it.
    pub(crate) fn output_bytes(&self) -> u64 {
        self.operation.over(self.element).map_or(0, |over| over.output_bytes)
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
            // On a CPU more code takes longer to compile than it saves, but what refills is the same everywhere.
            let has_time = caps.class == AdapterClass::Gpu;
            let accumulator = variant.over.accumulator;
            let compares_floats =
                accumulator == Accumulator::Word && self.element.number().is_float();
            let is_long = accumulator.words() > 1 || compares_floats;
            constants.push(("WHOLE_TILES", u32::from(has_time && is_long)));
            constants.push(("REFILLS", u32::from(accumulator.refills())));
        }
        constants.extend(variant.collective.constants(caps));
        if variant.collective == Collective::Subgroup && variant.over.accumulator.folds_near() {
            constants.push(("FAR", u32::from(self.goes_far())));
        }
        if variant.sink == Sink::Last {
            let highest = self.tuning.combining == Combining::Highest;
            constants.push(("HIGHEST_FOLDS", u32::from(highest)));
        }
        constants
    }

    /// Whether indices may need more than a word; as well, whether there are several windows, so that what is done then is nothing
    /// that large inputs alone come to.
    pub(crate) fn goes_far(&self) -> bool {
        let has_windows = self.passes.iter().any(|pass| pass.dispatches.len() > 1);
        has_windows || self.index_end > u64::from(u32::MAX)
    }

    /// Bytes of the input, or of both, that are read; `u64::MAX` where there are more, as a stream may have.
    #[must_use]
    pub const fn input_bytes(&self) -> u64 {
        let elements = self.len.saturating_mul(self.inputs as u64);
        elements.saturating_mul(self.element.size_bytes())
    }
}

impl WholePass {
    fn record(&self, dispatch: &WholeDispatch) -> RecordedDispatch {
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
