//! How each shape becomes passes.

pub(crate) mod axis;
pub(crate) mod bins;
pub(crate) mod chunks;
pub(crate) mod exact;
pub(crate) mod ordered;
pub(crate) mod runs;
pub(crate) mod segments;
pub(crate) mod whole;

pub use axis::{AxisKernel, AxisPlan, AxisRequest, AxisShader, AxisTuning, Matrix, View};
pub use bins::{
    Binned, Bins, Counters, Histogram, HistogramPlan, HistogramRequest, HistogramShader,
    HistogramTuning, Weight, WeightKind, WeightedHistogram, WeightedHistogramPlan,
    WeightedHistogramRequest,
};
pub use chunks::StreamOptions;
pub use exact::{ExactDispatch, ExactPlan, ExactShader, ExactTuning};
pub use runs::{ByKeyPlan, ByKeyRequest, ByKeyShader, Key};
pub use segments::{
    Closing, SegmentsParts, SegmentsPlan, SegmentsRequest, SegmentsShader, SegmentsTuning,
};
pub use whole::{Handover, WholeDispatch, WholePass, WholePlan, WholeRequest};
