//! The native module of the Python package: elements on the GPU, and what reduces them.
//!
//! It knows operations by name and elements by their type's name. What NumPy means by axes, types and missing elements is in
//! `wgpu_reduce/`, in Python.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod bins;
mod device;
mod elements;
mod operations;
mod order;
mod value;

use pyo3::prelude::*;

/// What `wgpu_reduce` is made of.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::device::{Error, adapter, close};
    #[pymodule_export]
    use crate::elements::{Elements, upload};
}
