//! Reductions of runs of equal keys: what finds the runs, in front of a reduction of segments.

mod at_once;
pub(crate) mod finder;
#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod key;
mod plan;
mod shader;
#[cfg(test)]
mod tests;

pub use key::Key;
pub(crate) use plan::{Built, Job, KeyPart, build};
pub use plan::{ByKeyPlan, ByKeyRequest};
pub use shader::ByKeyShader;
