//! Exact sums on the GPU: a planner of its own, and the way from what its shader leaves to
//! [`ExactSum`](crate::ExactSum).

mod plan;
mod shader;
mod tuning;

pub(crate) use plan::lower;
pub use shader::ExactShader;
pub use tuning::ExactTuning;
