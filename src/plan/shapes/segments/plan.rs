//! What a reduction of segments runs, decided before anything touches a device.

use crate::error::Result;
use crate::op::element::ElementKind;
use crate::op::{Accuracy, OpRecord};
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::folding::Folding;
use crate::plan::recording::RecordedPass;
use crate::plan::shapes::segments::build::{Built, Job, build};
use crate::plan::shapes::segments::shader::SegmentsShader;
use crate::plan::shapes::segments::tuning::SegmentsTuning;
use crate::shader::Shader;
use std::fmt;

/// What is to be planned. [`SegmentsPlan`] has an example.
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
/// use wgpu_reduce::planners::{SegmentsPlan, SegmentsRequest};
/// use wgpu_reduce::{Caps, ElementKind, Operation, Part, SegmentsTuning, Sum};
///
/// let caps = Caps::baseline();
/// let plan = SegmentsPlan::new(&SegmentsRequest {
///     operation: Operation::<f32>::record(&Sum),
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
    pub(crate) built: Built,
}

#[cfg(any(test, feature = "followed"))]
impl SegmentsPlan {
    /// A plan of what has been planned as a part of something else.
    pub(crate) const fn of(operation: &'static OpRecord, built: Built) -> Self {
        Self { operation, element: built.element, built }
    }
}

impl SegmentsPlan {
    /// Plans a reduction of segments. No device is needed, and none is touched.
    ///
    /// # Errors
    ///
    /// [`Error::NotDefined`] if the operation does not take such elements, [`Error::WrongInputs`] if it
    /// takes pairs, [`Error::InvalidOffsets`] if there is no offset, [`Error::Unsupported`] if there are
    /// 2^32 - 1 elements or more, if one binding does not hold offsets or results, or eight bytes for each tile of the
    /// elements and ends (a binding of 128 MiB does, with the default tuning), or if the device has no `f64` and it is needed, [`Error::InvalidTuning`] if the tuning does not fit the device,
    /// [`Error::InvalidBuffer`] if an offset is not a multiple of the size of what lies there.
    ///
    /// [`Error::InvalidBuffer`]: crate::Error::InvalidBuffer
    /// [`Error::InvalidOffsets`]: crate::Error::InvalidOffsets
    /// [`Error::InvalidTuning`]: crate::Error::InvalidTuning
    /// [`Error::NotDefined`]: crate::Error::NotDefined
    /// [`Error::Unsupported`]: crate::Error::Unsupported
    /// [`Error::WrongInputs`]: crate::Error::WrongInputs
    pub fn new(request: &SegmentsRequest) -> Result<Self> {
        let built = build(&Job {
            folding: Folding::of_operation(request.operation, request.element)?,
            element: request.element,
            input: &request.input,
            offsets: request.offsets,
            count_offset_bytes: request.count_offset_bytes,
            output_offset_bytes: request.output_offset_bytes,
            tuning: request.tuning,
            caps: &request.caps,
        })?;
        Ok(Self { operation: request.operation, element: request.element, built })
    }

    /// The operation.
    #[must_use]
    pub const fn operation(&self) -> &'static OpRecord {
        self.operation
    }

    /// Elements, whether they are in a segment or not.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.built.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.built.len == 0
    }

    /// Segments; at most, if their number lies on the device.
    #[must_use]
    pub const fn segments(&self) -> u64 {
        self.built.segments
    }

    /// The tuning that shaped it, as it is taken: what does not fit the device or these segments is not in it.
    #[must_use]
    pub const fn tuning(&self) -> SegmentsTuning {
        self.built.tuning
    }

    /// Passes, in the order they run.
    #[must_use]
    pub fn pass_count(&self) -> usize {
        self.built.recording.passes.len()
    }

    /// The shader of each pass, in order.
    pub fn shaders(&self) -> impl Iterator<Item = SegmentsShader> {
        let of_pass = |pass: &RecordedPass| match pass.shader {
            Shader::Segments(shader) => Some(shader),
            _ => None,
        };
        self.built.recording.passes.iter().filter_map(of_pass)
    }

    /// Bytes of values, offsets and results, each read or written once.
    #[must_use]
    pub fn least_bytes(&self) -> u64 {
        self.built.least_bytes()
    }

    /// What bounds of the error of a segment's result are made of, if it has so many elements.
    #[must_use]
    pub fn accuracy_of(&self, len: u64) -> Accuracy {
        self.built.accuracy_of(len)
    }
}

impl fmt::Display for SegmentsPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.built.fmt(f)
    }
}
