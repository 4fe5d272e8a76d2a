//! Plans of a share of the elements, and of what shares have left.

use crate::error::Result;
use crate::plan::recording::Place;
use crate::plan::shapes::whole::{WholePlan, WholeRequest};

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

impl WholePlan {
    /// Plans what folds `count` partials in the first buffer of the input, which `len` elements have left.
    pub(crate) fn of_partials(
        request: &WholeRequest,
        len: u64,
        count: u32,
        ending: Ending,
    ) -> Result<Self> {
        Self::build(request, None, (len, Some(count)), ending)
    }

    /// Appends passes, which read what those before have left in the output.
    pub(crate) fn append(&mut self, next: Self) {
        let first = self.scratch.len();
        let moved = |place: &mut Place| {
            if let Place::Scratch(index) = place {
                *index += first;
            }
        };
        for mut pass in next.passes {
            moved(&mut pass.target);
            if let Some(handover) = &mut pass.handover {
                moved(&mut handover.place);
            }
            for dispatch in &mut pass.dispatches {
                match &mut dispatch.source {
                    Place::Input(_) => dispatch.source = Place::Output,
                    place => moved(place),
                }
            }
            self.passes.push(pass);
        }
        self.scratch.extend(next.scratch);
    }
}
