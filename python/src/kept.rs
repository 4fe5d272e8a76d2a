//! Results that stay on the GPU: those of operations whose results a device leaves as NumPy has them.

use crate::device::{exception, run};
use crate::elements::{Among, Elements, view, within};
use crate::value::Value;
use pyo3::prelude::*;
use wgpu_reduce::{
    DeviceFold, Element, Max, Mean, Min, NanMax, NanMean, NanMin, NanSum, Product, Sum,
};

/// Results, NumPy's type of them, and how many elements it is from one to the next.
pub(crate) type Kept = (Elements, &'static str, usize);

macro_rules! kept {
    ($($name:literal $operation:ident: $($of:ty as $left:ty),*;)*) => {
        /// Leaves results; none where the host has to finish them.
        pub(crate) fn kept(
            py: Python<'_>,
            elements: &Elements,
            name: &str,
            among: Among<'_>,
        ) -> PyResult<Option<Kept>> {
            $($(if name == $name && elements.kind() == <$of as Element>::KIND {
                return left::<$of, _, $left>(py, elements, $operation, among).map(Some);
            })*)*
            Ok(None)
        }
    };
}
// NumPy takes the lower half of sums of 128 bits.
kept! {
    "sum" Sum: f32 as f32, f64 as f64, i32 as i64, u32 as u64, i64 as i64, u64 as u64;
    "product" Product: f32 as f32, f64 as f64, i32 as i64, u32 as u64, i64 as i64, u64 as u64;
    "mean" Mean: f32 as f32, f64 as f64;
    "min" Min: f32 as f32, f64 as f64, i32 as i32, u32 as u32, i64 as i64, u64 as u64;
    "max" Max: f32 as f32, f64 as f64, i32 as i32, u32 as u32, i64 as i64, u64 as u64;
    "nan_sum" NanSum: f32 as f32, f64 as f64;
    "nan_mean" NanMean: f32 as f32, f64 as f64;
    "nan_min" NanMin: f32 as f32, f64 as f64;
    "nan_max" NanMax: f32 as f32, f64 as f64;
}

fn left<T: Element, F: DeviceFold<T> + Copy + Sync, L: Element + Value>(
    py: Python<'_>,
    elements: &Elements,
    fold: F,
    among: Among<'_>,
) -> PyResult<Kept> {
    let parts = elements.typed::<T>().map_err(exception)?;
    let (opened, reducer) = (elements.opened(), elements.reducer());
    let buffer = run(py, opened, || match among {
        Among::Axes(strided, axes) => {
            reducer.reduce(fold, &parts).along(view(strided)?, axes).to_buffer()
        }
        Among::Range(span) => reducer.reduce(fold, &within(&parts, span)?[..]).to_buffer(),
    })?;
    let left = Elements::of_results(opened, L::KIND, &buffer).map_err(exception)?;
    Ok((left, L::DTYPE, size_of::<F::Raw>() / size_of::<L>()))
}
