//! What will run along an axis, decided before anything touches a device.

use crate::error::Result;
use crate::op::element::ElementKind;
use crate::op::{Accuracy, OpRecord};
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::folding::Folding;
use crate::plan::recording::RecordedPass;
use crate::plan::shapes::axis::build::{Built, Job, build};
use crate::plan::shapes::axis::shader::AxisShader;
use crate::plan::shapes::axis::tuning::AxisTuning;
use crate::plan::shapes::axis::view::View;
use crate::shader::Shader;
use std::fmt;

/// What is to be planned: a reduction along one axis of a view. [`AxisPlan`] has an example.
#[derive(Debug, Clone)]
pub struct AxisRequest {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// Where the elements are.
    pub view: View,
    /// The dimension that is folded, from 0 on.
    pub axis: usize,
    /// The elements in order, from number 0 on: each part is in a buffer of its own.
    pub input: Vec<Part>,
    /// Where the first result goes in its buffer; a multiple of a result's size.
    pub output_offset_bytes: u64,
    /// Whether the output is a buffer of the input.
    pub in_place: bool,
    /// The numbers that make it fast.
    pub tuning: AxisTuning,
    /// The device.
    pub caps: Caps,
}

/// The passes of a reduction along an axis: plain data, to be printed, tested or run.
///
/// ```
/// use wgpu_reduce::planners::{AxisPlan, AxisRequest};
/// use wgpu_reduce::{AxisTuning, Caps, ElementKind, Matrix, Operation, Part, Sum};
///
/// let caps = Caps::baseline();
/// let plan = AxisPlan::new(&AxisRequest {
///     operation: Operation::<f32>::record(&Sum),
///     element: ElementKind::F32,
///     view: Matrix { rows: 1000, columns: 200 }.into(),
///     axis: 1,
///     input: vec![Part { offset_bytes: 0, len: 200_000 }],
///     output_offset_bytes: 0,
///     in_place: false,
///     tuning: AxisTuning::for_caps(&caps),
///     caps,
/// })?;
/// assert_eq!((plan.results, plan.len, plan.pass_count()), (1000, 200, 1));
/// println!("{plan}");
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AxisPlan {
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// How many results there are.
    pub results: u64,
    /// Elements along the axis, of which each result is made.
    pub len: u64,
    /// The tuning that shaped it.
    pub tuning: AxisTuning,
    /// Upper bound of the roundings between any one element and its result.
    pub roundings: u64,
    pub(crate) built: Built,
}

impl AxisPlan {
    /// Plans a reduction along an axis. No device is needed, and none is touched.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`] if the view has no such axis, reaches beyond the input or is cut into too many
    /// bindings,
    /// [`Error::NotDefined`], [`Error::Empty`] if there are results to be made of no elements and the
    /// operation has none, [`Error::Unsupported`], [`Error::InvalidTuning`], [`Error::InvalidBuffer`] for
    /// offsets that are no multiples, or if a result would be of more elements than it can be, as one of
    /// [`SumExact`](crate::SumExact) of more than 2^42.
    ///
    /// [`Error::Empty`]: crate::Error::Empty
    /// [`Error::InvalidBuffer`]: crate::Error::InvalidBuffer
    /// [`Error::InvalidTuning`]: crate::Error::InvalidTuning
    /// [`Error::InvalidView`]: crate::Error::InvalidView
    /// [`Error::NotDefined`]: crate::Error::NotDefined
    /// [`Error::Unsupported`]: crate::Error::Unsupported
    pub fn new(request: &AxisRequest) -> Result<Self> {
        let &AxisRequest { operation, element, caps, .. } = request;
        let built = build(&Job {
            folding: Folding::of_operation(operation, element)?,
            element,
            view: request.view,
            axis: request.axis,
            input: &request.input,
            output_offset_bytes: request.output_offset_bytes,
            in_place: request.in_place,
            tuning: request.tuning,
            caps: &caps,
        })?;
        let Built { results, len, tuning, roundings, .. } = built;
        Ok(Self { operation, element, results, len, tuning, roundings, built })
    }

    /// What bounds of each result's error are made of.
    #[must_use]
    pub fn accuracy(&self) -> Accuracy {
        self.built.accuracy()
    }

    /// How many passes it takes.
    #[must_use]
    pub const fn pass_count(&self) -> usize {
        self.built.recording.passes.len()
    }

    /// The shader of each pass, in order.
    pub fn shaders(&self) -> impl Iterator<Item = AxisShader> {
        let of_pass = |pass: &RecordedPass| match pass.shader {
            Shader::Axis(shader) => Some(shader),
            _ => None,
        };
        self.built.recording.passes.iter().filter_map(of_pass)
    }

    /// Bytes that are read of the input and written of the output, at least.
    #[must_use]
    pub fn least_bytes(&self) -> u64 {
        self.built.least_bytes()
    }
}

impl fmt::Display for AxisPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.built.fmt(f)
    }
}
