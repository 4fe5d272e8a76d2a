//! Results as NumPy reads them.

use half::{bf16, f16};
use numpy::{IntoPyArray as _, PyArray1};
use pyo3::prelude::*;
use wgpu_reduce::{Extrema, Located, Statistics};

/// Bytes of a result, with zeros behind them.
pub(crate) type Cell = [u8; CELL_BYTES];

const CELL_BYTES: usize = 16;

/// Cells side by side, and NumPy's type of what each begins with.
pub(crate) type Cells<'py> = (Bound<'py, PyArray1<u8>>, &'static str);

/// A result that NumPy has a type for.
pub(crate) trait Value {
    /// NumPy's name for the type; extremes are two of them.
    const DTYPE: &'static str;

    /// Whether a cell has all of it.
    const FITS: bool = true;

    fn cell(self) -> Cell;

    /// The cell, with other bytes from the middle on.
    fn cell_with(self, other: &[u8]) -> Cell
    where
        Self: Sized,
    {
        let mut cell = self.cell();
        let (_, upper) = cell.split_at_mut(CELL_BYTES / 2);
        upper.iter_mut().zip(other).for_each(|(place, &byte)| *place = byte);
        cell
    }
}

pub(crate) fn cells<'py>(py: Python<'py>, cells: &[Cell], dtype: &'static str) -> Cells<'py> {
    (cells.as_flattened().to_vec().into_pyarray(py), dtype)
}

/// As many of the bytes as a cell has.
fn first(bytes: &[u8]) -> Cell {
    let mut cell = [0; CELL_BYTES];
    cell.iter_mut().zip(bytes).for_each(|(place, &byte)| *place = byte);
    cell
}

macro_rules! values {
    ($($number:ty => $dtype:literal;)*) => {$(
        impl Value for $number {
            const DTYPE: &'static str = $dtype;

            fn cell(self) -> Cell {
                first(&self.to_le_bytes())
            }
        }
    )*};
}
// Of 128 bits NumPy takes the lower half: its integers wrap.
values! {
    f16 => "<f2"; f32 => "<f4"; f64 => "<f8";
    i8 => "<i1"; i16 => "<i2"; i32 => "<i4"; i64 => "<i8"; i128 => "<i8";
    u8 => "<u1"; u16 => "<u2"; u32 => "<u4"; u64 => "<u8"; u128 => "<u8";
}

impl Value for bf16 {
    const DTYPE: &'static str = f32::DTYPE;

    fn cell(self) -> Cell {
        self.to_f32().cell()
    }
}

impl Value for bool {
    const DTYPE: &'static str = "|b1";

    fn cell(self) -> Cell {
        u8::from(self).cell()
    }
}

/// The index alone.
impl<T> Value for Located<T> {
    const DTYPE: &'static str = i64::DTYPE;

    fn cell(self) -> Cell {
        self.index.cell()
    }
}

/// The smallest, and the largest from the middle on.
impl<T: Value> Value for Extrema<T> {
    const DTYPE: &'static str = T::DTYPE;

    fn cell(self) -> Cell {
        self.min.cell_with(&self.max.cell())
    }
}

/// The count alone: all figures are larger than a cell, and the operation is refused.
impl<T, S, M> Value for Statistics<T, S, M> {
    const DTYPE: &'static str = u64::DTYPE;
    const FITS: bool = false;

    fn cell(self) -> Cell {
        self.count.cell()
    }
}
