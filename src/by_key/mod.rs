//! Reductions of runs of equal keys: what finds the runs, in front of a reduction of segments.

mod at_once;
mod custom;
mod finder;
#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod key;
mod plan;
mod run;
mod runs;
mod shader;
#[cfg(test)]
mod tests;

pub use key::Key;
pub use plan::{ByKeyPlan, ByKeyRequest};
pub use runs::{GpuRuns, RunBuffers, Runs};
pub use shader::ByKeyShader;
