//! Reductions on every GPU.
//!
//! Data on the GPU goes in, one value comes out, through [`wgpu`] on Vulkan, Metal, DX12, GL and in browsers.
//!
//! ```
//! use wgpu_reduce::GpuReducer;
//!
//! let reducer = GpuReducer::new()?;
//! let buffer = reducer.upload(&[1_i32, -2, 3])?;
//! assert_eq!(reducer.sum(&buffer)?, 2);
//! # Ok::<(), wgpu_reduce::Error>(())
//! ```
//!
//! - [`GpuReducer::new`] opens an adapter; [`GpuReducer::from_wgpu`] takes a device you have.
//! - [`GpuReducer::upload`] copies data to the GPU; [`GpuBuffer::from_wgpu`] takes a buffer you have.
//! - [`Operation`] lists what there is besides [`Sum`], and the types of the results. [`Dot`] takes two inputs.
//! - [`SumExact`], [`DotExact`] and [`MeanExact`] round the real result once: the same bits on every device.
//! - [`CustomOp`] is an operator of your own, in WGSL.
//! - [`GpuReducer::reduce`] makes a [`Request`] of an operation and an input. A request has a shape: the whole input, unless
//!   [`along`](Request::along) says an axis, [`segments`](Request::segments) segments, [`runs`](Request::runs) keys.
//!   It has verbs: [`run`](Request::run) blocks, [`start`](Request::start) returns a [`Pending`] to await,
//!   [`to_buffer`](Request::to_buffer) and [`encode`](Request::encode) leave the results on the GPU, [`plan`](Request::plan) tells what would run,
//!   [`prepare`](Request::prepare) resolves everything once.
//! - [`Median`], [`Quantile`], [`Quantiles`], [`InterquartileRange`], [`Nth`], [`ArgNth`], [`TopK`] and [`BottomK`] are what a request can find by rank, of a whole
//!   input or along an axis; [`NanMedian`], [`NanQuantile`] and [`NanQuantiles`] leave NaN out.
//! - [`GpuReducer::bin`] makes a request for a histogram: of counts in [`Bins`], or of weights.
//! - [`GpuReducer::batch`] runs many requests in one submission; [`GpuSlices`] are one input in several buffers.
//! - [`GpuReducer::sum`] and its like are short for a request that is run.
//! - [`GpuReducer::stream`] reduces what comes in pieces and need not fit in memory; [`GpuReducer::reduce_stream`]
//!   blocks on an iterator, [`GpuReducer::reduce_reader`] on a reader.
//! - [`MultiGpu`] spreads one input over several adapters.
//! - [`ExactSum`] adds `f32` or `f64` on the host without rounding: the same bits for any order and split.
//! - [`GpuReducer::with_tuning`] and [`GpuReducer::with_tuning_table`] replace the default [`Tuning`].
//!
//! Features: `wgpu`, the only one that is on by default, has everything that touches a device; without it plans and operations on the
//! host remain. `serde` makes [`Tuning`] and [`TuningTable`]
//! serialisable; `tuned` finds the table that `wgpu-reduce tune` has stored for the adapter. `followed` and `recorded` are for
//! the project's own fuzzers and npm package, and no part of the interface.
//!
//! In a browser nothing blocks: [`GpuReducer::request`] opens the adapter, and whatever is pending is
//! awaited. Subgroups are used there too, where the browser has them. What browsers tell late, an allocation that failed
//! or an upload, is an error of every [`Pending`] result that is asked for until one of them has told it.
//!
//! No call panics. wgpu itself does in a few cases; those panics are caught where they arise, which
//! needs `panic = "unwind"`, and a panic hook still sees them.
//!
//! Versions follow [Semantic Versioning](https://semver.org/): within a minor version before 1.0, and a major one from then
//! on, what is written with calls, operations, results and errors goes on to compile, and results keep their meaning. Exact
//! results keep their bits: integers, extremes, indices, [`SumExact`] and its like. [`ExactSum::from_bytes`] reads the bytes of any
//! earlier version. With any minor version before 1.0 these may get fields or variants, and the changelog then says so: [`Problem`],
//! [`Part`], [`Plan`], [`PlannedPass`], [`Tuning`], [`Combining`], [`AxisTuning`], [`SegmentsTuning`], [`Closing`],
//! [`HistogramTuning`], [`ExactTuning`], [`TunedLengths`], [`AdapterKey`] and the types of [`ladder`].
//! Last bits of floats that round, plans, default tunings, texts of errors and speed are not promised.
//! The oldest Rust is 1.87, and the types of other crates in the interface are those of wgpu 30, of `half` 2 and of `bytemuck` 1.
//! Only a new minor version asks for a newer Rust, or another major version of these.
//!
//! The method is parallel reduction as Mark Harris described it (*Optimizing Parallel Reduction in
//! CUDA*, 2007), with the subgroup operations of later hardware: a grid-stride loop of 16-byte
//! loads, a tree in each workgroup, and one workgroup that folds the partial values of all.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "wgpu"),
    allow(dead_code, unused_imports, reason = "requests on a device use the rest")
)]
#![cfg_attr(
    all(feature = "recorded", target_family = "wasm"),
    allow(
        irrefutable_let_patterns,
        unreachable_code,
        unreachable_patterns,
        unused_variables,
        reason = "it has no custom operators"
    )
)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

#[cfg(all(feature = "recorded", feature = "wgpu", target_family = "wasm"))]
compile_error!("`recorded` embeds fewer shaders than devices need: leave out `wgpu`");

#[cfg(feature = "wgpu")]
mod api;
#[cfg(feature = "wgpu")]
mod device;
mod error;
mod exact;
pub mod ladder;
mod op;
mod plan;
mod shader;
#[cfg(all(test, feature = "wgpu"))]
mod tests;
mod trusted;

#[cfg(feature = "wgpu")]
pub use api::*;
#[cfg(feature = "wgpu")]
pub use device::{Adapter, Options, Timed};
pub use error::{Error, Result, WrongOffset};
pub use exact::{ExactElement, ExactPartial, ExactSum, ExactTerms};
#[doc(hidden)]
pub use op::decode::value as value_of_bytes;
#[doc(hidden)]
pub use op::operations;
pub use op::operations::*;
pub use op::{
    Accuracy, AlongFold, AnyOperation, ArgNth, BottomK, CustomValue, DeviceFold, Dot, DotExact,
    Element, ElementKind, Extrema, Fold, InterquartileRange, Located, Median, NanMedian,
    NanQuantile, NanQuantiles, Nth, OpRecord, Operation, OrderStatistic, PairOperation, Partial,
    Quantile, QuantileMethod, Quantiles, Ranked, ShapedFold, Statistics, TopK, Unrounded,
};
#[cfg(any(test, feature = "followed"))]
#[doc(hidden)]
pub use plan::followed;
#[doc(hidden)]
pub use plan::planners;
pub use plan::*;
pub use shader::{CustomInput, CustomOp, CustomShader};

/// The examples of the README run, or compile where they need a file or a device of the reader's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// So do those of the page on exact sums; `tests/host/invariants/documents.rs` holds this list to the pages that have any.
#[cfg(doctest)]
#[doc = include_str!("../docs/exact.md")]
struct ExactSums;

/// And of the page on the library.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct Library;
