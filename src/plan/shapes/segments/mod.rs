//! Reductions of segments: a planner of its own, which balances segments of any lengths.

mod build;
pub(crate) mod first_wrong;
#[cfg(any(test, feature = "followed"))]
pub(crate) mod follow;
mod layout;
mod pass;
mod pieces;
mod scan;
mod shader;
#[cfg(test)]
pub(crate) mod tests;
mod tuning;

pub(crate) use build::lower;
pub(crate) use layout::{Layout, of_segment};
pub(crate) use scan::{collective_of_scan, depth_of_scan};
pub use shader::{SegmentsParts, SegmentsShader};
pub use tuning::{Closing, SegmentsTuning};
