//! Whole inputs to one result, by passes that fold elements and then partials.

use crate::error::{Error, Result};
use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::cut::part::{Part, len_of};
use crate::plan::planned::Plan;
use crate::plan::tuning::Tuning;
use crate::shader::variant::Collective;

mod build;
mod constants;
mod ending;
#[cfg(test)]
mod tests;
mod workgroups;

pub(crate) use build::of_partials;
pub(crate) use ending::{Ending, append};

/// What is to be planned.
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

/// Plans what ends in one partial, or in a result: of the request's input, or of the pairs that it makes with a
/// second one.
///
/// Where a workgroup's accumulators would not fit into its memory, the plan has smaller workgroups
/// than the tuning, and as many more.
///
/// # Errors
///
/// [`Error::NotDefined`] if the operation does not take such elements, [`Error::WrongInputs`] if it
/// takes pairs and there are none, or the other way around, [`Error::LengthMismatch`] if one input has more elements than the other,
/// [`Error::Empty`] if there are none and it has no result then,
/// [`Error::Unsupported`] if it needs `f64` and the device has none, or has limits that no device can have, [`Error::InvalidTuning`] if the
/// tuning does not fit the device, [`Error::InvalidBuffer`] if an offset is not a multiple of the size of what lies there,
/// the end is beyond 2^62 bytes, or there are more elements than a result can be of, as one of
/// [`SumExact`](crate::SumExact) of more than 2^42.
pub(crate) fn lower(
    request: &WholeRequest,
    second: Option<&[Part]>,
    ending: Ending,
) -> Result<Plan> {
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
    build::build(request, second, (len, None), ending)
}

impl WholeRequest {
    /// Plans a reduction of its input.
    ///
    /// # Errors
    ///
    /// As a [`Problem`](crate::Problem) of it.
    pub fn plan(&self) -> Result<Plan> {
        lower(self, None, Ending::Result)
    }

    /// Plans a reduction of pairs: each element of its input with that of the same number in `second`.
    ///
    /// # Errors
    ///
    /// As a [`Problem`](crate::Problem) of both.
    pub fn plan_pairs(&self, second: &[Part]) -> Result<Plan> {
        lower(self, Some(second), Ending::Result)
    }
}
