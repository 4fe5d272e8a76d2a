//! What the page asks of the library: an adapter, the ladder, and sums that disagree.
//!
//! The public interface of `wgpu-reduce`, wrapped for JavaScript; what a page shows is in `page/`.

mod adapter;
mod ladder;
mod orders;

pub use adapter::Gpu;
pub use ladder::{Ladder, Run, levels};
pub use orders::{Orders, Sums};

use wasm_bindgen::JsError;

/// An error as JavaScript throws it.
fn thrown(error: &wgpu_reduce::Error) -> JsError {
    JsError::new(&error.to_string())
}
