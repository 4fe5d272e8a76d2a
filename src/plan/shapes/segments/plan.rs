//! What a reduction of segments runs, decided before anything touches a device.

use crate::error::Result;
use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::part::Part;
use crate::plan::folding::Folding;
use crate::plan::planned::Plan;
use crate::plan::shapes::segments::build::{Job, lower};
use crate::plan::shapes::segments::tuning::SegmentsTuning;

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

impl SegmentsRequest {
    /// Plans it.
    ///
    /// # Errors
    ///
    /// As a [`Problem`](crate::Problem) of segments.
    pub fn plan(&self) -> Result<Plan> {
        lower(&Job {
            folding: Folding::of_operation(self.operation, self.element)?,
            element: self.element,
            input: &self.input,
            offsets: self.offsets,
            count_offset_bytes: self.count_offset_bytes,
            output_offset_bytes: self.output_offset_bytes,
            tuning: self.tuning,
            caps: &self.caps,
        })
    }
}
