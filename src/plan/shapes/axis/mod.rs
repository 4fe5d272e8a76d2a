//! Reductions along an axis: a result for each row, each column, or each position of the other axes.

pub(crate) mod axes;
mod build;
pub(crate) mod cut;
#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod form;
pub(crate) mod grid;
mod in_order;
mod masked;
mod shader;
#[cfg(test)]
pub(crate) mod tests;
mod tuning;
pub(crate) mod view;
pub(crate) mod walk;

pub use axes::Axes;
pub(crate) use axes::AxisSet;
pub(crate) use build::{Spot, check_offsets, lower, of_rows, row_parameters};
#[cfg(feature = "recorded")]
pub(crate) use masked::{lens_of, of_result};
pub(crate) use masked::{lower_masked, results_in};
pub use shader::{AxisKernel, AxisShader};
pub use tuning::AxisTuning;
pub use view::{Matrix, View};
