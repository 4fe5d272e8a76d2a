//! Histograms of bytes, level by level: a planner of their own, since a level of sums has a type, rows and partials,
//! and these have none of them.

mod level;
mod plan;
#[cfg(feature = "wgpu")]
mod run;

pub use level::HistogramLevel;
pub use plan::{HistogramLevelPlan, HistogramOptions};
