//! What the last pass leaves, and passes behind passes.

use crate::plan::planned::Plan;
use crate::plan::recording::{Place, binding};

/// What the last pass of a plan leaves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ending {
    /// The result, finished.
    Result,
    /// A partial, in a slot of the output, which has room for so many. The elements are those from an index on.
    Partial { first_index: u64, slot: u32, slots: u32 },
}

impl Ending {
    pub(crate) const fn first_index(self) -> u64 {
        match self {
            Self::Result => 0,
            Self::Partial { first_index, .. } => first_index,
        }
    }
}

/// Appends passes, which read what those before have left in the output.
pub(crate) fn append(plan: &mut Plan, next: Plan) {
    let first = plan.recording.scratch.len();
    for mut pass in next.recording.passes {
        let dispatches = pass.dispatches.iter_mut();
        for bound in dispatches.flat_map(|dispatch| &mut dispatch.bindings) {
            bound.place = match bound.place {
                Place::Scratch(index) => Place::Scratch(first + index),
                Place::Input(_) if bound.binding == binding::SOURCE => Place::Output,
                place => place,
            };
        }
        plan.recording.passes.push(pass);
    }
    plan.recording.scratch.extend(next.recording.scratch);
}
