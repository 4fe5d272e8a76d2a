//! What users call: a reducer, its requests, streams and several GPUs.

pub(crate) mod any;
pub(crate) mod arrival;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod blocking;
pub(crate) mod buffer;
pub(crate) mod input;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod multi;
pub(crate) mod opening;
pub(crate) mod pending;
pub(crate) mod reducer;
pub(crate) mod request;
pub(crate) mod slices;
#[cfg(feature = "tuned")]
pub(crate) mod store;
pub(crate) mod stream;
pub(crate) mod submit;
pub(crate) mod transfer;

pub use any::AnySlices;
pub use buffer::{GpuBuffer, GpuSlice};
pub use input::Input;
#[cfg(not(target_family = "wasm"))]
pub use multi::{MultiBuffer, MultiGpu};
pub use pending::Pending;
pub use reducer::GpuReducer;
pub use request::{
    Along, Batch, Bin, ByRuns, Channels, Counted, DeviceWork, GpuRuns, Groups, HostWork, Masked,
    OneChannel, Output, Prepared, Request, Requests, RunBuffers, Runs, Segments, Timing, Tuned,
    Unweighted, Weighting, Weights, Whole, Work,
};
pub use slices::GpuSlices;
pub use stream::{
    AnyStream, ExactPairStream, ExactStream, HistogramStream, PairStream, RankStream, Stream,
};
