//! Reductions of what comes in pieces, and need not fit in any memory.

mod any;
mod calls;
mod exact;
mod feed;
mod folded;
mod histogram;
mod merging;
mod pairs;
mod ranked;
#[cfg(not(target_family = "wasm"))]
mod read;
mod ring;

pub(crate) use merging::merged;

pub use any::AnyStream;
pub use calls::Stream;
pub use exact::{ExactPairStream, ExactStream};
pub use histogram::HistogramStream;
pub use pairs::PairStream;
pub use ranked::RankStream;
