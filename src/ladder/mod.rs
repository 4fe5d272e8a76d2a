//! The ladder: every optimisation level of CUDA's parallel reduction, as a WGSL shader of its own.
//!
//! Five write-ups of parallel reduction in CUDA, descendants of Mark Harris' *Optimizing Parallel
//! Reduction in CUDA* (2007), describe the levels; `shaders/ladder/` has one
//! file for each, from a single thread to one pass whose last workgroup finishes. Production calls
//! such as [`GpuReducer::sum`] do not use them: they are here to be read, run and measured.
//!
//! ```no_run
//! use wgpu_reduce::GpuReducer;
//! use wgpu_reduce::ladder::{Ladder, Level, RunOptions};
//!
//! let reducer = GpuReducer::new()?;
//! let buffer = reducer.upload(&[1.0_f32; 1_000_000])?;
//! for level in Level::ALL {
//!     let sum = Ladder::new(&reducer).sum(level, &RunOptions::default(), &buffer)?;
//!     println!("{level}: {sum}");
//! }
//! # Ok::<(), wgpu_reduce::Error>(())
//! ```
//!
//! A level sums `f32`, `i32` or `u32` in that type, as the CUDA originals do: integers wrap modulo
//! 2^32, `f32` rounds at every addition in an order that depends on the level. Sums of no elements
//! are 0. Levels 14 and 15 add `f32` in the order of arrival, so their last bits may change from run
//! to run; all others repeat them.
//!
//! One of the write-ups also takes histograms up three levels, from atomics in memory to a private copy for each
//! subgroup. [`HistogramLevel`] has them, of bytes; [`Ladder::histogram`] runs one.
//!
//! [`GpuReducer::sum`]: crate::GpuReducer::sum

mod build;
mod element;
mod histogram;
mod level;
mod levels;
mod options;
mod pieces;
mod plan;
#[cfg(feature = "wgpu")]
mod run;
mod shader;

pub use element::LadderElement;
pub use histogram::{HistogramLevel, HistogramLevelPlan, HistogramOptions};
pub use level::{Level, Needs, SourceKernel};
pub use options::{MOST_REPEATS, Rounds, RunOptions};
pub use plan::{LadderPass, LadderPlan};
#[cfg(feature = "wgpu")]
pub use run::Ladder;
pub use shader::{Form, LadderShader, LoadWidth, Turns};
