//! What the page asks of the library: an adapter, the ladder, sums that disagree, and figures of files.
//!
//! The public interface of `wgpu-reduce`, wrapped for JavaScript; what a page shows is in `page/`.

mod adapter;
mod colours;
mod course;
mod data;
mod figures;
mod found;
mod histograms;
mod ladder;
mod orders;
mod part;
#[cfg(any(test, feature = "proof"))]
mod proof;

pub use adapter::Gpu;
pub use colours::colours_of;
pub use course::{course, disagreeing};
pub use data::Data;
pub use ladder::{Ladder, Run, levels};
pub use orders::{Costs, Orders, Sums, Timing};
#[cfg(any(test, feature = "proof"))]
pub use proof::{prove, prove_f64};

use js_sys::{Object, Reflect};
use wasm_bindgen::{JsError, JsValue};
use wgpu_reduce::{Element, GpuBuffer};

/// An error as JavaScript throws it.
fn thrown(error: &wgpu_reduce::Error) -> JsError {
    JsError::new(&error.to_string())
}

/// An object with these properties.
fn object<'a>(properties: impl IntoIterator<Item = (&'a str, JsValue)>) -> Object {
    let object = Object::new();
    for (key, value) in properties {
        // A new object takes any property.
        drop(Reflect::set(&object, &key.into(), &value));
    }
    object
}

/// So many elements of that type that begin where the buffer does.
fn typed<T: Element>(buffer: &wgpu::Buffer, len: u64) -> wgpu_reduce::Result<GpuBuffer<T>> {
    GpuBuffer::from_wgpu(buffer.clone(), 0, len)
}
