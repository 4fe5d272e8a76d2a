//! Reductions of segments: a planner of its own, which balances segments of any lengths.

mod bound;
mod build;
mod counted;
mod custom;
mod first_wrong;
#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod judge;
mod layout;
mod made_offsets;
mod output;
mod pass;
mod pieces;
mod plan;
mod run;
mod scan;
mod shader;
#[cfg(test)]
pub(crate) mod tests;
mod tuning;

pub(crate) use build::{Built, Job, build};
pub(crate) use layout::Layout;
pub use plan::{SegmentsPlan, SegmentsRequest};
pub(crate) use scan::{collective_of_scan, depth_of_scan};
pub use shader::{SegmentsParts, SegmentsShader};
pub use tuning::{Closing, SegmentsTuning};
