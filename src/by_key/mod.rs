//! Reductions of runs of equal keys: what finds the runs, in front of a reduction of segments.

mod at_once;
mod finder;
#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod key;
mod plan;
mod read;
mod runs;
mod shader;
#[cfg(test)]
mod tests;

pub use key::Key;
pub(crate) use plan::{Built, Job, KeyPart, build};
pub use plan::{ByKeyPlan, ByKeyRequest};
pub(crate) use read::{AT_ONCE_BYTES, Results, Room, read_at_once, read_counted};
pub use runs::{GpuRuns, RunBuffers, Runs};
pub use shader::ByKeyShader;
