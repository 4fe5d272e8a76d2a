//! What will run along an axis, decided before anything touches a device.

use crate::error::Result;
use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::folding::Folding;
use crate::plan::planned::Plan;
use crate::plan::shapes::axis::build::{Job, lower};
use crate::plan::shapes::axis::tuning::AxisTuning;
use crate::plan::shapes::axis::view::View;

/// What is to be planned: a reduction along one axis of a view.
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

impl AxisRequest {
    /// Plans it.
    ///
    /// # Errors
    ///
    /// As a [`Problem`](crate::Problem) along an axis.
    pub fn plan(&self) -> Result<Plan> {
        lower(&Job {
            folding: Folding::of_operation(self.operation, self.element)?,
            element: self.element,
            view: self.view,
            axis: self.axis,
            input: &self.input,
            output_offset_bytes: self.output_offset_bytes,
            in_place: self.in_place,
            tuning: self.tuning,
            caps: &self.caps,
        })
    }
}
