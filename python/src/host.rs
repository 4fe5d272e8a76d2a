//! Elements on the host, which the library's definitions reduce, by definition rather than for speed: no adapter is needed.
//!
//! The methods are those of `Elements`.

#![expect(clippy::needless_pass_by_value, reason = "arguments from Python are made for the call")]

use crate::bins::Binned as _;
use crate::device::exception;
use crate::elements::{Span, Strided, view, whole};
use crate::exact::{self, with_exact};
use crate::operations::{dot_on_cpu, on_cpu};
use crate::order::{Asked, with_type};
use crate::stream::typed;
use crate::top::located;
use crate::value::{Cell, Cells, Value, cells};
use half::f16;
use numpy::{IntoPyArray as _, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use wgpu_reduce::{
    Bins, BottomK, DotExact, ElementKind, Error, ExactSum, Ranked, Result, TopK, View,
};

/// Elements of one type on the host.
#[pyclass(frozen, module = "wgpu_reduce._native")]
pub(crate) struct HostElements {
    kind: ElementKind,
    bytes: Vec<u8>,
}

/// Copies the bytes of elements, to be reduced on the host.
#[pyfunction]
pub(crate) fn keep(bytes: PyReadonlyArray1<'_, u8>, element: &str) -> PyResult<HostElements> {
    let (kind, bytes) = whole(&bytes, element)?;
    Ok(HostElements { kind, bytes: bytes.to_vec() })
}

#[pymethods]
impl HostElements {
    fn download<'py>(&self, py: Python<'py>, span: Span) -> PyResult<Bound<'py, PyArray1<u8>>> {
        Ok(self.range(span).map_err(exception)?.to_vec().into_pyarray(py))
    }

    fn reduce<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        span: Span,
        ddof: u32,
    ) -> PyResult<Cells<'py>> {
        let (result, dtype) = on_cpu(name, ddof, self.kind).map_err(exception)?;
        made(py, dtype, || Ok(vec![result(self.range(span)?)?]))
    }

    fn reduce_masked<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        span: Span,
        mask: &Self,
    ) -> PyResult<Cells<'py>> {
        let (result, dtype) = on_cpu(name, 0, self.kind).map_err(exception)?;
        made(py, dtype, || Ok(vec![result(&self.chosen(self.range(span)?, &mask.bytes)?)?]))
    }

    fn reduce_along<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        strided: Strided,
        axes: Vec<usize>,
        ddof: u32,
    ) -> PyResult<Cells<'py>> {
        let (result, dtype) = on_cpu(name, ddof, self.kind).map_err(exception)?;
        made(py, dtype, || self.rows(&strided, &axes)?.iter().map(|row| result(row)).collect())
    }

    fn reduce_masked_along<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        span: Span,
        strided: Strided,
        axes: Vec<usize>,
        mask: &Self,
    ) -> PyResult<Cells<'py>> {
        let (result, dtype) = on_cpu(name, 0, self.kind).map_err(exception)?;
        made(py, dtype, || {
            let rows = rows(self.range(span)?, self.item(), &strided, &axes)?;
            let masks = mask.rows(&strided, &axes)?;
            let each = rows.iter().zip(&masks);
            each.map(|(row, mask)| result(&self.chosen(row, mask)?)).collect()
        })
    }

    fn dot<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        other: &Self,
        other_span: Span,
    ) -> PyResult<Cells<'py>> {
        let (result, dtype) = dot_on_cpu(self.kind).map_err(exception)?;
        made(py, dtype, || {
            Ok(vec![result(self.range(span)?, other.of_kind(self.kind)?.range(other_span)?)?])
        })
    }

    fn dot_along<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        other: &Self,
        other_span: Span,
        strided: Strided,
        axes: Vec<usize>,
    ) -> PyResult<Cells<'py>> {
        let (result, dtype) = dot_on_cpu(self.kind).map_err(exception)?;
        made(py, dtype, || {
            let other = other.of_kind(self.kind)?.range(other_span)?;
            let left = rows(self.range(span)?, self.item(), &strided, &axes)?;
            let right = rows(other, self.item(), &strided, &axes)?;
            left.iter().zip(&right).map(|(left, right)| result(left, right)).collect()
        })
    }

    fn dot_exact<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        other: &Self,
        other_span: Span,
    ) -> PyResult<Cells<'py>> {
        with_exact!(self.kind, "dot_exact", T => made(py, T::DTYPE, || {
            let other = other.of_kind(self.kind)?.range(other_span)?;
            let (left, right) = (typed::<T>(self.range(span)?)?, typed::<T>(other)?);
            Ok(vec![DotExact.on_cpu(&left, &right)?.cell()])
        }))
    }

    fn quantiles<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        shares: Vec<f64>,
        method: &str,
        without_nan: bool,
    ) -> PyResult<Cells<'py>> {
        let asked = Asked::new(shares, method, without_nan)?;
        with_type!(self.kind, T => made(py, Asked::dtype::<T>(), || {
            asked.on_cpu::<T>(&typed(self.range(span)?)?)
        }))
    }

    fn quantiles_along<'py>(
        &self,
        py: Python<'py>,
        strided: Strided,
        axes: Vec<usize>,
        shares: Vec<f64>,
        method: &str,
        without_nan: bool,
    ) -> PyResult<Cells<'py>> {
        let asked = Asked::new(shares, method, without_nan)?;
        with_type!(self.kind, T => made(py, Asked::dtype::<T>(), || {
            self.each(&strided, &axes, |row| asked.on_cpu::<T>(&typed(row)?))
        }))
    }

    fn top<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        k: u64,
        is_largest: bool,
    ) -> PyResult<Cells<'py>> {
        with_type!(self.kind, T => made(py, T::DTYPE, || {
            top::<T>(self.range(span)?, k, is_largest)
        }))
    }

    fn top_along<'py>(
        &self,
        py: Python<'py>,
        strided: Strided,
        axes: Vec<usize>,
        k: u64,
        is_largest: bool,
    ) -> PyResult<Cells<'py>> {
        with_type!(self.kind, T => made(py, T::DTYPE, || {
            self.each(&strided, &axes, |row| top::<T>(row, k, is_largest))
        }))
    }

    fn histogram<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        edges: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let bins = Bins::edges(&edges).map_err(exception)?;
        let places = self.places(py, span, &edges)?;
        let mut counts = vec![0_u64; bins.count() as usize];
        for place in places.into_iter().flatten() {
            if let Some(count) = counts.get_mut(place) {
                *count += 1;
            }
        }
        Ok(counts.into_pyarray(py))
    }

    fn histogram_weighted<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        edges: Vec<f64>,
        weights: &Self,
    ) -> PyResult<Cells<'py>> {
        let bins = Bins::edges(&edges).map_err(exception)?;
        let places = self.places(py, span, &edges)?;
        with_exact!(weights.kind, "histogram_weighted", T => made(py, T::DTYPE, || {
            let weights = typed::<T>(&weights.bytes)?;
            check_alike(places.len(), weights.len())?;
            let mut sums = vec![ExactSum::<T>::new(); bins.count() as usize];
            for (place, &weight) in places.iter().zip(&*weights) {
                if let Some(sum) = place.and_then(|place| sums.get_mut(place)) {
                    *sum += weight;
                }
            }
            Ok(sums.iter().map(|sum| sum.round().cell()).collect())
        }))
    }

    fn exact<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        of_squares: bool,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let bytes = self.range(span).map_err(exception)?;
        exact::of_rows(py, self.kind, bytes, 1, of_squares)
    }
}

impl HostElements {
    /// Bytes of an element.
    fn item(&self) -> usize {
        usize::try_from(self.kind.size_bytes()).unwrap_or(usize::MAX)
    }

    /// The bytes of a range of elements.
    fn range(&self, (start, end): Span) -> Result<&[u8]> {
        let byte = |at: u64| usize::try_from(at).ok()?.checked_mul(self.item());
        let bytes = byte(start).zip(byte(end)).and_then(|(start, end)| self.bytes.get(start..end));
        let len = (self.bytes.len() / self.item()) as u64;
        bytes.ok_or(Error::InvalidRange { start, end, len })
    }

    /// These elements, if they are of a type.
    fn of_kind(&self, kind: ElementKind) -> Result<&Self> {
        if self.kind == kind {
            return Ok(self);
        }
        let what = format!("{kind} elements are wanted, and not {}", self.kind);
        Err(Error::InvalidBuffer { what })
    }

    fn rows(&self, strided: &Strided, axes: &[usize]) -> Result<Vec<Vec<u8>>> {
        rows(&self.bytes, self.item(), strided, axes)
    }

    /// Results of every row, side by side.
    fn each(
        &self,
        strided: &Strided,
        axes: &[usize],
        results: impl Fn(&[u8]) -> Result<Vec<Cell>>,
    ) -> Result<Vec<Cell>> {
        let found: Result<Vec<_>> =
            self.rows(strided, axes)?.iter().map(|row| results(row)).collect();
        Ok(found?.concat())
    }

    /// The elements whose byte in a mask is not zero.
    fn chosen(&self, bytes: &[u8], mask: &[u8]) -> Result<Vec<u8>> {
        check_alike(bytes.len() / self.item(), mask.len())?;
        let elements = bytes.chunks(self.item()).zip(mask);
        Ok(elements
            .filter(|(_, byte)| **byte != 0)
            .flat_map(|(element, _)| element)
            .copied()
            .collect())
    }

    /// The bin of each element, if there is one.
    fn places(&self, py: Python<'_>, span: Span, edges: &[f64]) -> PyResult<Vec<Option<usize>>> {
        with_type!(self.kind, T => {
            let found = py.detach(|| {
                let elements = typed::<T>(self.range(span)?)?;
                Ok(elements.iter().map(|element| element.bin(edges)).collect())
            });
            found.map_err(exception)
        })
    }
}

fn made<'py>(
    py: Python<'py>,
    dtype: &'static str,
    make: impl FnOnce() -> Result<Vec<Cell>> + Send,
) -> PyResult<Cells<'py>> {
    Ok(cells(py, &py.detach(make).map_err(exception)?, dtype))
}

const fn check_alike(left: usize, right: usize) -> Result<()> {
    let (left, right) = (left as u64, right as u64);
    if left == right { Ok(()) } else { Err(Error::LengthMismatch { left, right }) }
}

/// Results of no elements, and elements of no results, are not more than these and as many as there are elements.
const MOST_OF_NOTHING: u64 = 1 << 16;

/// The bytes of the elements of each result along axes of a view.
fn rows(bytes: &[u8], item: usize, strided: &Strided, axes: &[usize]) -> Result<Vec<Vec<u8>>> {
    let view = view(strided)?;
    view.without(axes)?;
    let len = bytes.len() / item;
    let results = |is_kept: bool| {
        let shape = view.shape().iter().enumerate();
        let extents = shape.filter(|(axis, _)| axes.contains(axis) != is_kept);
        extents.map(|(_, &extent)| extent.max(1)).product::<u64>()
    };
    if view.len() > len as u64 || results(true).max(results(false)) > MOST_OF_NOTHING + len as u64 {
        let what = format!("its shape is {:?}, and there are {len} elements", view.shape());
        return Err(Error::InvalidView { what });
    }
    let starts = offsets(&view, |axis| !axes.contains(&axis));
    let reduced = offsets(&view, |axis| axes.contains(&axis));
    let row = |start: i64| -> Result<Vec<u8>> {
        let mut row = Vec::with_capacity(reduced.len() * item);
        for offset in &reduced {
            let at = view.offset().checked_add_signed(start.wrapping_add(*offset));
            let at = at.and_then(|at| usize::try_from(at).ok()?.checked_mul(item));
            let element = at.and_then(|at| bytes.get(at..at + item));
            let what = || format!("an element of it lies beyond the last of {len}");
            row.extend(element.ok_or_else(|| Error::InvalidView { what: what() })?);
        }
        Ok(row)
    };
    starts.into_iter().map(row).collect()
}

/// How far from the first element those lie that differ from it in some dimensions, in row-major order.
fn offsets(view: &View, is_one: impl Fn(usize) -> bool) -> Vec<i64> {
    let dimensions = view.shape().iter().zip(view.strides()).enumerate();
    dimensions.filter(|(axis, _)| is_one(*axis)).fold(vec![0], |before, (_, (&extent, &stride))| {
        let steps = || {
            (0..extent).scan(0_i64, |at, _| Some(std::mem::replace(at, at.wrapping_add(stride))))
        };
        before.iter().flat_map(|start| steps().map(move |step| start.wrapping_add(step))).collect()
    })
}

fn top<T: Ranked + Value>(bytes: &[u8], k: u64, is_largest: bool) -> Result<Vec<Cell>> {
    let elements = typed::<T>(bytes)?;
    let found =
        if is_largest { TopK { k }.on_cpu(&elements) } else { BottomK { k }.on_cpu(&elements) };
    Ok(found?.into_iter().map(located).collect())
}
