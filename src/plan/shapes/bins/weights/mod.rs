//! Histograms of weights.

#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod plan;
mod result;
mod weight;

pub use plan::WeightedHistogramRequest;
pub use result::WeightedHistogram;
pub use weight::Weight;
