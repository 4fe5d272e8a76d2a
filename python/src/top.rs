//! The largest or smallest elements, of a type that is known at run time, each with its index.

use crate::elements::{Among, Elements};
use crate::order::with_type;
use crate::value::{Cell, Cells, Value, cells};
use half::f16;
use pyo3::prelude::*;
use wgpu_reduce::{BottomK, ElementKind, Error, Located, TopK};

/// The k largest or smallest in order, of a range, or for each position of the other axes side by side.
pub(crate) fn top<'py>(
    py: Python<'py>,
    elements: &Elements,
    among: Among<'_>,
    k: u64,
    is_largest: bool,
) -> PyResult<Cells<'py>> {
    with_type!(elements.kind(), T => {
        let found = if is_largest {
            elements.found::<T, _>(py, among, TopK { k })?
        } else {
            elements.found::<T, _>(py, among, BottomK { k })?
        };
        let found: Vec<Cell> = found.into_iter().flatten().map(located).collect();
        Ok(cells(py, &found, T::DTYPE))
    })
}

/// A cell with the element, and with its index from the middle on.
pub(crate) fn located<T: Value>(Located { index, value }: Located<T>) -> Cell {
    value.cell_with(&index.to_le_bytes())
}
