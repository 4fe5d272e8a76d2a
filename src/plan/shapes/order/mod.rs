//! Order statistics: elements by their rank, found by the digits of their keys.

mod digits;
#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod plan;
pub(crate) mod readings;
mod rows;
mod shader;
mod sift;
mod sought;

pub(crate) use plan::lower;
pub(crate) use rows::lower as lower_rows;
pub use shader::{OrderShader, Origin, Ranking, Search};
