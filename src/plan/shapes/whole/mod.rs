//! Whole inputs to one result, by passes that fold elements and then partials.

use crate::error::{Error, Result};
use crate::op::OpRecord;
use crate::plan::caps::Caps;
use crate::plan::cut::part::len_of;
use crate::plan::planned::Plan;
use crate::plan::problem::Problem;

mod build;
mod constants;
mod counted;
mod ending;
#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
pub(crate) mod masked;
#[cfg(test)]
mod tests;
mod workgroups;

pub(crate) use build::build;
pub(crate) use counted::counted;
pub(crate) use ending::{Ending, append};

/// Plans what ends in one partial, or in a result: of a problem's input, or of the pairs of two.
///
/// Where a workgroup's accumulators would not fit into its memory, the plan has smaller workgroups
/// than the tuning, and as many more.
///
/// # Errors
///
/// [`Error::NotDefined`] if the operation does not take such elements, [`Error::WrongInputs`] if it
/// takes pairs and there are none, or the other way around, [`Error::LengthMismatch`] if one input has more elements than the other,
/// [`Error::Empty`] if there are none and it has no result then,
/// [`Error::Unsupported`] if the limits are such as no device can have, [`Error::InvalidTuning`] if the tuning does not fit the device,
/// [`Error::InvalidBuffer`] if an offset is not a multiple of the size of what lies there, the end is beyond 2^62 bytes,
/// or there are more elements than a result can be of, as one of [`SumExact`](crate::SumExact) of more than 2^42.
pub(crate) fn lower(
    problem: &Problem<'_>,
    operation: &'static OpRecord,
    ending: Ending,
    caps: &Caps,
) -> Result<Plan> {
    let len = len_of(problem.first());
    let right = problem.second().map_or(len, len_of);
    if right != len {
        return Err(Error::LengthMismatch { left: len, right });
    }
    let over = operation.over(problem.element)?;
    let inputs = if problem.second().is_some() { 2 } else { 1 };
    if over.lifting.inputs() != inputs {
        return Err(Error::WrongInputs { operation: operation.name(), inputs });
    }
    build(problem, operation, (len, None), ending, caps)
}
