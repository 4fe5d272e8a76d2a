//! The native module of the Python package: elements on the GPU, and what reduces them.
//!
//! It knows operations by name and elements by their type's name. What NumPy means by axes, types and missing elements is in
//! `wgpu_reduce/`, in Python.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod bins;
mod device;
mod elements;
mod exact;
mod host;
mod kept;
mod operations;
mod order;
mod stream;
mod top;
mod value;

use pyo3::prelude::*;

/// What `wgpu_reduce` is made of.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::device::{Error, adapter, close};
    #[pymodule_export]
    use crate::elements::{Elements, upload};
    #[pymodule_export]
    use crate::exact::{exact_merge, exact_round, exact_rows};
    #[pymodule_export]
    use crate::host::{HostElements, keep};
    #[pymodule_export]
    use crate::stream::Stream;
}
