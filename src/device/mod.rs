//! The device, through wgpu: opening it, compiling for it, handing it work and waiting for it.

pub(crate) mod adapter;
pub(crate) mod allowance;
pub(crate) mod awaited;
pub(crate) mod cache_file;
pub(crate) mod checks;
pub(crate) mod context;
pub(crate) mod copying;
pub(crate) mod encode;
pub(crate) mod loss;
pub(crate) mod mapping;
pub(crate) mod parameters;
pub(crate) mod pipeline;
mod pipeline_store;
pub(crate) mod pool;
pub(crate) mod process;
pub(crate) mod readback;
pub(crate) mod scope;
pub(crate) mod timing;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod waiter;
pub(crate) mod wakers;
#[cfg(target_family = "wasm")]
pub(crate) mod web;

pub use adapter::{Adapter, Options};
pub use timing::Timed;
