//! Exact sums that are not rounded yet, as bytes: a row of an array is a sum.

#![expect(clippy::needless_pass_by_value, reason = "arguments from Python are made for the call")]

use crate::device::{exception, wait};
use crate::elements::{Elements, Span, kind_of, within};
use crate::stream::typed;
use crate::value::{Cell, Cells, Value, cells};
use numpy::{IntoPyArray as _, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use wgpu_reduce::{DotExact, ElementKind, Error, ExactElement, ExactSum, Result, SumExact};

const EXACT_SUM: &str = "exact sum";

/// What an expression gives for the type that a kind stands for, of which there are exact sums.
macro_rules! with_exact {
    ($kind:expr, $operation:expr, $name:ident => $result:expr) => {
        match $kind {
            ElementKind::F32 => {
                type $name = f32;
                $result
            }
            ElementKind::F64 => {
                type $name = f64;
                $result
            }
            kind => {
                let (operation, element) = ($operation, kind.name());
                Err($crate::device::exception(Error::NotDefined { operation, element }))
            }
        }
    };
}
pub(crate) use with_exact;

/// Where the bytes of a sum name its elements, and the name of `f64`.
const OF_F64: (usize, u8) = (7, 1);

/// The bytes of sums, one after another.
type Sums<'py> = Bound<'py, PyArray1<u8>>;

/// A sum of either type of elements.
enum Sum {
    F32(ExactSum<f32>),
    F64(Box<ExactSum<f64>>),
}

impl Sum {
    fn read(bytes: &[u8]) -> Result<Self> {
        if bytes.get(OF_F64.0) == Some(&OF_F64.1) {
            return Ok(Self::F64(Box::new(ExactSum::from_bytes(bytes)?)));
        }
        ExactSum::from_bytes(bytes).map(Self::F32)
    }

    fn write(&self) -> Vec<u8> {
        match self {
            Self::F32(sum) => sum.to_bytes(),
            Self::F64(sum) => sum.to_bytes(),
        }
    }

    fn widened(self) -> ExactSum<f64> {
        match self {
            Self::F32(sum) => sum.into(),
            Self::F64(sum) => *sum,
        }
    }

    fn merged(self, other: Self) -> Self {
        match (self, other) {
            (Self::F32(mut sum), Self::F32(other)) => {
                sum += &other;
                Self::F32(sum)
            }
            (sum, other) => {
                let mut sum = sum.widened();
                sum += &other.widened();
                Self::F64(Box::new(sum))
            }
        }
    }

    /// Rounds the sum, or the mean; of no elements this is NaN, as NumPy's.
    fn rounded(&self, is_mean: bool) -> Cell {
        match self {
            Self::F32(sum) if is_mean => sum.mean().unwrap_or(f32::NAN).cell(),
            Self::F64(sum) if is_mean => sum.mean().unwrap_or(f64::NAN).cell(),
            Self::F32(sum) => sum.round().cell(),
            Self::F64(sum) => sum.round().cell(),
        }
    }

    const fn dtype(&self) -> &'static str {
        match self {
            Self::F32(_) => f32::DTYPE,
            Self::F64(_) => f64::DTYPE,
        }
    }
}

/// Merges sums, row by row.
#[pyfunction]
pub(crate) fn exact_merge<'py>(
    py: Python<'py>,
    left: PyReadonlyArray2<'py, u8>,
    right: PyReadonlyArray2<'py, u8>,
) -> PyResult<Sums<'py>> {
    let (left, right) = (left.as_array(), right.as_array());
    let merged = || -> Result<Vec<u8>> {
        if left.nrows() != right.nrows() {
            let (left, right) = (left.nrows() as u64, right.nrows() as u64);
            return Err(Error::LengthMismatch { left, right });
        }
        let mut bytes = Vec::with_capacity(left.len().max(right.len()));
        for (one, other) in left.rows().into_iter().zip(right.rows()) {
            let (one, other) = (one.to_vec(), other.to_vec());
            bytes.extend(Sum::read(&one)?.merged(Sum::read(&other)?).write());
        }
        Ok(bytes)
    };
    Ok(py.detach(merged).map_err(exception)?.into_pyarray(py))
}

/// Rounds sums, or the means of their elements.
#[pyfunction]
pub(crate) fn exact_round<'py>(
    py: Python<'py>,
    sums: PyReadonlyArray2<'py, u8>,
    is_mean: bool,
) -> PyResult<Cells<'py>> {
    let sums = sums.as_array();
    let all = || -> Result<_> {
        let (mut rounded, mut dtype) = (Vec::new(), f64::DTYPE);
        for row in sums.rows() {
            let sum = Sum::read(&row.to_vec())?;
            rounded.push(sum.rounded(is_mean));
            dtype = sum.dtype();
        }
        Ok((rounded, dtype))
    };
    let (rounded, dtype) = py.detach(all).map_err(exception)?;
    Ok(cells(py, &rounded, dtype))
}

/// Sums the elements of each of so many rows, or their squares, on the host.
#[pyfunction]
pub(crate) fn exact_rows<'py>(
    py: Python<'py>,
    bytes: PyReadonlyArray1<'py, u8>,
    element: &str,
    count: usize,
    of_squares: bool,
) -> PyResult<Sums<'py>> {
    of_rows(py, kind_of(element)?, bytes.as_slice()?, count, of_squares)
}

/// The sums of rows of elements whose type is known at run time.
pub(crate) fn of_rows<'py>(
    py: Python<'py>,
    kind: ElementKind,
    bytes: &[u8],
    count: usize,
    of_squares: bool,
) -> PyResult<Sums<'py>> {
    with_exact!(kind, EXACT_SUM, T => {
        let sums = py.detach(|| rows::<T>(bytes, count, of_squares));
        Ok(sums.map_err(exception)?.into_pyarray(py))
    })
}

fn rows<T: ExactElement>(bytes: &[u8], count: usize, of_squares: bool) -> Result<Vec<u8>> {
    let (elements, mut sums) = (typed::<T>(bytes)?, Vec::new());
    let len = elements.len().checked_div(count).unwrap_or(0);
    let mut rest = &elements[..];
    for _ in 0..count {
        let (row, others) = rest.split_at_checked(len).unwrap_or_default();
        rest = others;
        let mut sum = ExactSum::new();
        if of_squares {
            sum.add_products(row, row)?;
        } else {
            sum.add_slice(row);
        }
        sums.extend(sum.to_bytes());
    }
    Ok(sums)
}

/// The sum of a range of elements, or of their squares.
pub(crate) fn of_range<'py>(
    py: Python<'py>,
    elements: &Elements,
    span: Span,
    of_squares: bool,
) -> PyResult<Sums<'py>> {
    with_exact!(elements.kind(), EXACT_SUM, T => {
        let parts = elements.typed::<T>().map_err(exception)?;
        let slices = within(&parts, span).map_err(exception)?;
        let (reducer, used) = (elements.reducer(), elements.opened());
        let sum: ExactSum<T> = if of_squares {
            let squares = reducer.reduce(DotExact, (&slices[..], &slices[..])).unrounded();
            wait(py, used, || squares.start())?
        } else {
            let sum = reducer.reduce(SumExact, &slices[..]).unrounded();
            wait(py, used, || sum.start())?
        };
        Ok(sum.to_bytes().into_pyarray(py))
    })
}
