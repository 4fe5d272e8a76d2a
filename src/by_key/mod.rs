//! Reductions of runs of equal keys: what finds the runs, in front of a reduction of segments.

mod at_once;
mod custom;
mod finder;
mod key;
mod plan;
mod run;
mod shader;
#[cfg(test)]
mod tests;

pub use key::Key;
pub use plan::{ByKeyPlan, ByKeyRequest};
pub use run::{RunBuffers, Runs};
pub use shader::ByKeyShader;
