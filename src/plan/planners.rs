//! The planners of each shape and the shaders they name, for the project's own tests and fuzzers. No part of the interface:
//! a [`Problem`](crate::Problem) plans every shape.

pub use crate::plan::cut::Partner;
pub use crate::plan::many_plan::{
    AlonePlan, ManyPlan, ManyRequest, ManyStep, SharedDispatch, SharedInput,
};
pub use crate::plan::recording::Place;
pub use crate::plan::shapes::axis::{AxisKernel, AxisPlan, AxisRequest, AxisShader};
pub use crate::plan::shapes::bins::{
    Counters, HistogramPlan, HistogramRequest, HistogramShader, WeightedHistogramPlan,
    WeightedHistogramRequest,
};
pub use crate::plan::shapes::exact::{ExactDispatch, ExactPlan, ExactShader};
pub use crate::plan::shapes::runs::{ByKeyPlan, ByKeyRequest, ByKeyShader};
pub use crate::plan::shapes::segments::{
    SegmentsParts, SegmentsPlan, SegmentsRequest, SegmentsShader,
};
pub use crate::plan::shapes::whole::{Handover, WholeDispatch, WholePass, WholePlan, WholeRequest};
pub use crate::shader::variant::{Collective, Kernel, Sink, Variant};
