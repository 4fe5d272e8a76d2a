//! Reductions of segments: a planner of its own, which balances segments of any lengths.

mod counted;
mod plan;
mod run;
mod shader;
mod tuning;

pub use plan::{SegmentsPlan, SegmentsRequest};
pub(crate) use run::Layout;
pub use shader::{SegmentsParts, SegmentsShader};
pub use tuning::SegmentsTuning;
