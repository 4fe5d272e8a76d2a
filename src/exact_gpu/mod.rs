//! Exact sums on the GPU: a planner of its own, and the way from what its shader leaves to
//! [`ExactSum`](crate::ExactSum).

mod partial;
mod plan;
mod records;
mod shader;
mod tuning;

pub use partial::ExactPartial;
pub use plan::{ExactDispatch, ExactPlan};
pub use shader::{ExactShader, ExactTerms};
pub use tuning::ExactTuning;
