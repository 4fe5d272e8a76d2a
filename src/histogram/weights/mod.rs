//! Histograms of weights.

mod plan;
mod result;
mod run;

pub use plan::{WeightedHistogramPlan, WeightedHistogramRequest};
pub use result::WeightedHistogram;
pub use run::Weight;
