//! Reductions of runs of equal keys: what finds the runs, in front of a reduction of segments.

mod at_once;
pub(crate) mod finder;
#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod key;
mod plan;
mod room;
mod shader;
#[cfg(test)]
mod tests;

pub use key::Key;
pub use plan::KeyPart;
pub(crate) use plan::lower;
pub(crate) use room::{AT_ONCE_BYTES, Room};
pub use shader::ByKeyShader;
