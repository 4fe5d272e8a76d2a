//! Histograms of weights.

#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod plan;
mod result;
mod weight;

pub(crate) use plan::lower;
pub use result::WeightedHistogram;
pub use weight::Weight;
