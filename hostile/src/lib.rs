//! What must hold whatever bytes come: a function for each thing that reads bytes of strangers. Each panics if
//! something does not hold, which is what fuzzers look for, and says whether the bytes were accepted; `tests/replay.rs` runs them over `corpus/` and over
//! mutations of it. `fuzz/` hands them to libFuzzer.

mod custom;
#[path = "../../tests/host/documented.rs"]
mod documented;
mod exact_partial;
mod exact_sum;
mod npy;
mod plan;
#[path = "../../tests/host/promises.rs"]
mod promises;
mod take;

pub use custom::{custom, operator};
pub use exact_partial::exact_partial;
pub use exact_sum::exact_sum;
pub use npy::npy;
pub use plan::{plan, recorded};

/// A name, and what takes bytes.
pub type Target = (&'static str, fn(&[u8]) -> bool);

/// All of them, by the names of their folders in `corpus/`.
pub const TARGETS: [Target; 5] = [
    ("npy", npy),
    ("plan", plan),
    ("custom", custom),
    ("exact_sum", exact_sum),
    ("exact_partial", exact_partial),
];
