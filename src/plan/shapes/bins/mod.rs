//! Histograms: a planner of its own, whose result is an array.

mod edges;
#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod keys;
mod last;
mod plan;
pub(crate) mod result;
mod shader;
#[cfg(test)]
pub(crate) mod tests;
mod tuning;
mod weights;

pub use edges::Bins;
pub(crate) use plan::{apart, counters, lower};
pub use result::Histogram;
pub use shader::{Counters, HistogramShader, WeightKind};
pub use tuning::HistogramTuning;
#[cfg(feature = "followed")]
pub(crate) use weights::follow as follow_weights;
pub(crate) use weights::lower as lower_weights;
pub use weights::{Weight, WeightedHistogram};
