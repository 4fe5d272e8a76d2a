//! Histograms of weights.

mod plan;
mod run;
mod sums;

pub use run::Weight;
pub use sums::WeightedHistogram;
