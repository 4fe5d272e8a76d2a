//! Histograms of elements whose type is known at run time.

use crate::device::{exception, wait};
use crate::elements::{Elements, Span, within};
use crate::order::with_type;
use crate::value::{Cell, Cells, Value, cells};
use half::f16;
use numpy::{IntoPyArray as _, PyArray1};
use pyo3::prelude::*;
use wgpu_reduce::{Bins, Element, ElementKind, Error};

/// How many elements of a range each bin has.
pub(crate) fn counts<'py>(
    py: Python<'py>,
    elements: &Elements,
    span: Span,
    edges: &[f64],
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let bins = Bins::edges(edges).map_err(exception)?;
    with_type!(elements.kind(), T => {
        let parts = elements.typed::<T>().map_err(exception)?;
        let slices = within(&parts, span).map_err(exception)?;
        let request = elements.reducer().bin(&slices[..], &bins);
        let histogram = wait(py, elements.opened(), || request.start())?;
        Ok(histogram.counts.into_pyarray(py))
    })
}

/// The sum of the weights of the elements that each bin has.
pub(crate) fn weighted<'py>(
    py: Python<'py>,
    elements: &Elements,
    span: Span,
    edges: &[f64],
    weights: &Elements,
) -> PyResult<Cells<'py>> {
    elements.opened().check_same(weights.opened())?;
    let bins = Bins::edges(edges).map_err(exception)?;
    with_type!(elements.kind(), T => match weights.kind() {
        ElementKind::F32 => weighted_f32::<T>(py, elements, span, &bins, weights),
        _ => weighted_f64::<T>(py, elements, span, &bins, weights),
    })
}

macro_rules! weighted {
    ($name:ident, $weight:ty) => {
        fn $name<'py, T: Element>(
            py: Python<'py>,
            elements: &Elements,
            span: Span,
            bins: &Bins,
            weights: &Elements,
        ) -> PyResult<Cells<'py>> {
            let parts = elements.typed::<T>().map_err(exception)?;
            let slices = within(&parts, span).map_err(exception)?;
            let weights = weights.typed::<$weight>().map_err(exception)?;
            let request = elements.reducer().bin(&slices[..], bins).weights(&weights);
            let histogram = wait(py, elements.opened(), || request.start())?;
            let sums: Vec<Cell> = histogram.sums.into_iter().map(Value::cell).collect();
            Ok(cells(py, &sums, <$weight>::DTYPE))
        }
    };
}
weighted!(weighted_f32, f32);
weighted!(weighted_f64, f64);

/// An element among edges, where nothing is rounded.
pub(crate) trait Binned: Copy {
    /// Whether an edge is this or less.
    fn has_reached(self, edge: f64) -> bool;

    /// Whether an edge is this or more.
    fn is_within(self, edge: f64) -> bool;

    /// The number of its bin, of which the last has its upper edge.
    fn bin(self, edges: &[f64]) -> Option<usize> {
        let reached = edges.partition_point(|&edge| self.has_reached(edge));
        let is_last =
            reached == edges.len() && edges.last().is_some_and(|&last| self.is_within(last));
        let lower = if is_last { reached.checked_sub(2) } else { reached.checked_sub(1) };
        lower.filter(|lower| lower + 1 < edges.len())
    }
}

macro_rules! binned {
    ($($float:ty),*; $($integer:ty),*) => {
        $(impl Binned for $float {
            fn has_reached(self, edge: f64) -> bool {
                edge <= f64::from(self)
            }

            fn is_within(self, edge: f64) -> bool {
                f64::from(self) <= edge
            }
        })*
        $(#[expect(clippy::cast_possible_truncation, reason = "edges beyond all integers saturate")]
        impl Binned for $integer {
            fn has_reached(self, edge: f64) -> bool {
                edge.ceil() as i128 <= self.into()
            }

            fn is_within(self, edge: f64) -> bool {
                i128::from(self) <= edge.floor() as i128
            }
        })*
    };
}
binned!(f16, f32, f64; i8, i16, i32, i64, u8, u16, u32, u64);
