//! Histograms: a planner of its own, whose result is an array.

mod bins;
mod keys;
mod plan;
mod result;
mod run;
mod shader;
mod tuning;

pub use bins::Bins;
pub use plan::{HistogramPlan, HistogramRequest};
pub use result::Histogram;
pub use run::Binned;
pub use shader::{Counters, HistogramShader};
pub use tuning::HistogramTuning;
