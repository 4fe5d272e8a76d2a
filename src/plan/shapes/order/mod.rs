//! Order statistics: elements by their rank, found by the digits of their keys.

mod digits;
#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod plan;
mod shader;

pub(crate) use plan::lower;
pub use shader::OrderShader;
