//! How each shape becomes passes.

pub(crate) mod axis;
pub(crate) mod batch;
pub(crate) mod bins;
pub(crate) mod chunks;
pub(crate) mod exact;
pub(crate) mod groups;
pub(crate) mod order;
pub(crate) mod ordered;
pub(crate) mod runs;
pub(crate) mod segments;
pub(crate) mod whole;

pub use axis::{Axes, AxisTuning, Matrix, View};
pub use bins::{Bins, Histogram, HistogramTuning, Weight, WeightKind, WeightedHistogram};
pub use chunks::StreamOptions;
pub use exact::ExactTuning;
pub use groups::GroupKey;
pub use runs::Key;
pub use segments::{Closing, SegmentsTuning};
