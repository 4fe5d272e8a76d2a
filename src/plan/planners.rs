//! What each shape plans and the shaders they name, for the project's own tests and fuzzers. No part of the interface:
//! a [`Problem`](crate::Problem) plans every shape.

#[cfg(any(test, feature = "followed"))]
mod read;
#[cfg(feature = "recorded")]
pub mod recorded;

pub use crate::op::several::record_of as several;
pub use crate::plan::problem::Shape;
pub use crate::plan::recording::Place;
pub use crate::plan::shapes::axis::{AxisKernel, AxisShader};
pub use crate::plan::shapes::bins::{Counters, HistogramShader, WeightKind};
pub use crate::plan::shapes::exact::ExactShader;
pub use crate::plan::shapes::groups::{Grouped, GroupsParts, GroupsShader, Slots};
pub use crate::plan::shapes::order::{OrderShader, Origin, Ranking, Search};
pub use crate::plan::shapes::runs::{ByKeyShader, KeyPart};
pub use crate::plan::shapes::segments::{SegmentsParts, SegmentsShader};
pub use crate::shader::variant::{Collective, Kernel, Sink, Variant};
#[cfg(any(test, feature = "followed"))]
pub use read::{
    BatchRequest, Dispatch, ExactPlan, Handover, Partner, SharedInput, WholePass, WholePlan,
    WholeRequest, constant, result_bytes, shared,
};
