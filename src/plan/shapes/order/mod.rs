//! Order statistics: elements by their rank, found by the digits of their keys.

mod digits;
mod plan;
mod shader;

pub(crate) use plan::lower;
pub use shader::OrderShader;
