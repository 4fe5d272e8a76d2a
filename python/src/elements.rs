//! Elements on the GPU, of a type that is known at run time, and the calls that reduce them.

#![expect(clippy::needless_pass_by_value, reason = "arguments from Python are made for the call")]

use crate::device::{Opened, exception, open, run, wait};
use crate::exact::{self, with_exact};
use crate::kept::{self, Kept};
use crate::operations::{Typed, dot, operation};
use crate::value::{Cell, Cells, Value as _, cells};
use crate::{bins, order, top};
use bytemuck::Pod;
use numpy::{IntoPyArray as _, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::slice;
use wgpu_reduce::{
    AlongFold, AnyOperation, AnySlices, DotExact, Element, ElementKind, Error, GpuBuffer,
    GpuReducer, GpuSlice, Pending, Result, View,
};

/// A range of elements, from the first to the one behind the last.
pub(crate) type Span = (u64, u64);

/// Shape, strides in elements, and the first element.
pub(crate) type Strided = (Vec<u64>, Vec<i64>, u64);

/// Which elements are reduced.
#[derive(Clone, Copy)]
pub(crate) enum Among<'a> {
    /// A range, which has one result.
    Range(Span),
    /// A view of all elements, along axes.
    Axes(&'a Strided, &'a [usize]),
}

/// What queues write is whole.
const WORD_BYTES: u64 = 4;

/// Elements of one type on the GPU, in as many buffers as it takes.
#[pyclass(frozen, module = "wgpu_reduce._native")]
pub(crate) struct Elements {
    opened: Opened,
    kind: ElementKind,
    parts: Vec<GpuBuffer<u8>>,
}

/// The type of elements that has a name.
pub(crate) fn kind_of(element: &str) -> PyResult<ElementKind> {
    let kind = ElementKind::ALL.into_iter().find(|kind| kind.name() == element);
    kind.ok_or_else(|| PyTypeError::new_err(format!("no elements are {element}")))
}

/// The type of a name, and bytes of whole elements of it.
pub(crate) fn whole<'a>(
    bytes: &'a PyReadonlyArray1<'_, u8>,
    element: &str,
) -> PyResult<(ElementKind, &'a [u8])> {
    let (kind, bytes) = (kind_of(element)?, bytes.as_slice()?);
    if !(bytes.len() as u64).is_multiple_of(kind.size_bytes()) {
        let what = format!("{} bytes are not whole elements of {element}", bytes.len());
        return Err(PyValueError::new_err(what));
    }
    Ok((kind, bytes))
}

/// Copies the bytes of elements to the GPU.
#[pyfunction]
pub(crate) fn upload(
    py: Python<'_>,
    bytes: PyReadonlyArray1<'_, u8>,
    element: &str,
) -> PyResult<Elements> {
    let (kind, bytes) = whole(&bytes, element)?;
    let opened = open(py)?;
    let step = opened.reducer.caps().max_buffer_bytes & !(u64::from(u16::MAX));
    let step = usize::try_from(step).unwrap_or(usize::MAX).max(1 << 16);
    let mut parts = Vec::new();
    for bytes in bytes.chunks(step) {
        parts.push(run(py, &opened, || opened.reducer.upload(bytes))?);
        py.check_signals()?;
    }
    Ok(Elements { opened, kind, parts })
}

#[pymethods]
impl Elements {
    /// Bytes from one to the next.
    fn download<'py>(&self, py: Python<'py>, span: Span) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let bytes = self.read(py, self.bytes(span).map_err(exception)?)?;
        Ok(bytes.into_pyarray(py))
    }

    /// Writes bytes over those of a range. Queues write whole words: bytes beside the range are read first.
    fn write(&self, py: Python<'_>, span: Span, bytes: PyReadonlyArray1<'_, u8>) -> PyResult<()> {
        let (bytes, size) = (bytes.as_slice()?, self.kind.size_bytes());
        let (start, end) = self.checked(span).map_err(exception)?;
        if end - start != bytes.len() as u64 {
            let what =
                format!("{} bytes are given, and the range has {}", bytes.len(), end - start);
            return Err(PyValueError::new_err(what));
        }
        let from = start - start % WORD_BYTES;
        let to = end.next_multiple_of(WORD_BYTES).min(self.len() * size);
        let beside = |range| self.read(py, within(&self.parts, range).map_err(exception)?);
        let words = [&beside((from, start))?, bytes, &beside((end, to))?].concat();
        let mut rest = &words[..];
        for slice in within(&self.parts, (from, to)).map_err(exception)? {
            let (part, others) = rest.split_at(usize::try_from(slice.len()).unwrap_or(rest.len()));
            run(py, &self.opened, || self.reducer().write(slice, part))?;
            rest = others;
        }
        Ok(())
    }

    /// One result of a range.
    fn reduce<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        span: Span,
        ddof: u32,
    ) -> PyResult<Cells<'py>> {
        self.reduced(py, operation(name, ddof, self.kind), slice::from_ref, |operation| {
            self.reducer().reduce(operation, self.slices(span)?).start()
        })
    }

    /// One result of a range, of the elements whose byte in a mask is not zero.
    fn reduce_masked<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        span: Span,
        mask: &Self,
    ) -> PyResult<Cells<'py>> {
        self.opened.check_same(&mask.opened)?;
        self.reduced(py, operation(name, 0, self.kind), slice::from_ref, |operation| {
            let mask = mask.typed::<u8>()?;
            self.reducer().reduce(operation, self.slices(span)?).masked(&mask).start()
        })
    }

    /// A result for each position of the other axes.
    fn reduce_along<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        strided: Strided,
        axes: Vec<usize>,
        ddof: u32,
    ) -> PyResult<Cells<'py>> {
        self.reduced(py, operation(name, ddof, self.kind), Vec::as_slice, |operation| {
            let (view, input) = self.all_of(&strided)?;
            self.reducer().reduce(operation, input).along(view, &axes).start()
        })
    }

    /// Results along axes of a range, of the elements whose byte in a mask, which has the same view, is not zero.
    fn reduce_masked_along<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        span: Span,
        strided: Strided,
        axes: Vec<usize>,
        mask: &Self,
    ) -> PyResult<Cells<'py>> {
        self.opened.check_same(&mask.opened)?;
        self.reduced(py, operation(name, 0, self.kind), Vec::as_slice, |operation| {
            let (view, mask) = (view(&strided)?, mask.typed::<u8>()?);
            let request = self.reducer().reduce(operation, self.slices(span)?);
            request.along(view, &axes).masked(&mask).start()
        })
    }

    /// The dot product of two ranges that are as long as each other.
    fn dot<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        other: &Self,
        other_span: Span,
    ) -> PyResult<Cells<'py>> {
        self.opened.check_same(&other.opened)?;
        self.reduced(py, dot(self.kind), slice::from_ref, |operation| {
            let inputs = self.slices(span)?.paired(other.slices(other_span)?)?;
            self.reducer().reduce(operation, inputs).start()
        })
    }

    /// Dot products along axes of a view that both ranges have.
    fn dot_along<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        other: &Self,
        other_span: Span,
        strided: Strided,
        axes: Vec<usize>,
    ) -> PyResult<Cells<'py>> {
        self.opened.check_same(&other.opened)?;
        self.reduced(py, dot(self.kind), Vec::as_slice, |operation| {
            let inputs = self.slices(span)?.paired(other.slices(other_span)?)?;
            self.reducer().reduce(operation, inputs).along(view(&strided)?, &axes).start()
        })
    }

    /// The dot product of two ranges, rounded once.
    fn dot_exact<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        other: &Self,
        other_span: Span,
    ) -> PyResult<Cells<'py>> {
        self.opened.check_same(&other.opened)?;
        with_exact!(self.kind, "dot_exact", T => {
            let (one, two) = (self.typed::<T>().map_err(exception)?, other.typed::<T>().map_err(exception)?);
            let one = within(&one, span).map_err(exception)?;
            let two = within(&two, other_span).map_err(exception)?;
            let request = self.reducer().reduce(DotExact, (&one[..], &two[..]));
            let dot = wait(py, &self.opened, || request.start())?;
            Ok(cells(py, &[dot.cell()], T::DTYPE))
        })
    }

    /// Results that stay, of a range or along axes of all elements, if there are such.
    fn kept(
        &self,
        py: Python<'_>,
        name: &str,
        span: Span,
        axes: Option<(Strided, Vec<usize>)>,
    ) -> PyResult<Option<Kept>> {
        let axes = axes.as_ref().map(|(strided, axes)| Among::Axes(strided, axes));
        kept::kept(py, self, name, axes.unwrap_or(Among::Range(span)))
    }

    /// Quantiles of a range, one for each share.
    fn quantiles<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        shares: Vec<f64>,
        method: &str,
        without_nan: bool,
    ) -> PyResult<Cells<'py>> {
        let asked = order::Asked::new(shares, method, without_nan)?;
        order::quantiles(py, self, Among::Range(span), &asked)
    }

    /// Quantiles for each position of the other axes, those of one position side by side.
    fn quantiles_along<'py>(
        &self,
        py: Python<'py>,
        strided: Strided,
        axes: Vec<usize>,
        shares: Vec<f64>,
        method: &str,
        without_nan: bool,
    ) -> PyResult<Cells<'py>> {
        let asked = order::Asked::new(shares, method, without_nan)?;
        order::quantiles(py, self, Among::Axes(&strided, &axes), &asked)
    }

    /// The k largest or smallest elements of a range in order, each with its index.
    fn top<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        k: u64,
        is_largest: bool,
    ) -> PyResult<Cells<'py>> {
        top::top(py, self, Among::Range(span), k, is_largest)
    }

    /// Those for each position of the other axes, side by side.
    fn top_along<'py>(
        &self,
        py: Python<'py>,
        strided: Strided,
        axes: Vec<usize>,
        k: u64,
        is_largest: bool,
    ) -> PyResult<Cells<'py>> {
        top::top(py, self, Among::Axes(&strided, &axes), k, is_largest)
    }

    /// How many elements of a range are between edges.
    fn histogram<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        edges: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        bins::counts(py, self, span, &edges)
    }

    /// The sums of weights of elements between edges: floats of the weights' type.
    fn histogram_weighted<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        edges: Vec<f64>,
        weights: &Self,
    ) -> PyResult<Cells<'py>> {
        bins::weighted(py, self, span, &edges, weights)
    }

    /// The bytes of the exact sum of a range, or of its squares.
    fn exact<'py>(
        &self,
        py: Python<'py>,
        span: Span,
        of_squares: bool,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        exact::of_range(py, self, span, of_squares)
    }
}

impl Elements {
    /// Waits for what an operation makes of elements: one result, or several.
    fn reduced<'py, R: Send>(
        &self,
        py: Python<'py>,
        operation: Result<Typed>,
        results: fn(&R) -> &[Cell],
        start: impl FnOnce(&AnyOperation<Cell>) -> Result<Pending<R>> + Send,
    ) -> PyResult<Cells<'py>> {
        let (operation, dtype) = operation.map_err(exception)?;
        let found = wait(py, &self.opened, || start(&operation))?;
        Ok(cells(py, results(&found), dtype))
    }

    /// What a fold finds: of a range one result.
    pub(crate) fn found<T: Element, F: AlongFold<T, Output: Send> + Sync>(
        &self,
        py: Python<'_>,
        among: Among<'_>,
        fold: F,
    ) -> PyResult<Vec<F::Output>> {
        let parts = self.typed::<T>().map_err(exception)?;
        match among {
            Among::Range(span) => {
                let slices = within(&parts, span).map_err(exception)?;
                let request = self.reducer().reduce(fold, &slices[..]);
                Ok(vec![wait(py, &self.opened, || request.start())?])
            }
            Among::Axes(strided, axes) => {
                let view = view(strided).map_err(exception)?;
                let request = self.reducer().reduce(fold, &parts).along(view, axes);
                wait(py, &self.opened, || request.start())
            }
        }
    }

    /// Results in a buffer, as elements of a type.
    pub(crate) fn of_results<R: Pod>(
        opened: &Opened,
        kind: ElementKind,
        buffer: &GpuBuffer<R>,
    ) -> Result<Self> {
        let bytes = buffer.len() * size_of::<R>() as u64;
        let part = GpuBuffer::from_wgpu(buffer.as_wgpu().clone(), buffer.offset_bytes(), bytes)?;
        Ok(Self { opened: opened.clone(), kind, parts: vec![part] })
    }

    pub(crate) const fn reducer(&self) -> &GpuReducer {
        &self.opened.reducer
    }

    pub(crate) const fn opened(&self) -> &Opened {
        &self.opened
    }

    pub(crate) const fn kind(&self) -> ElementKind {
        self.kind
    }

    pub(crate) fn len(&self) -> u64 {
        self.parts.iter().map(GpuBuffer::len).sum::<u64>() / self.kind.size_bytes()
    }

    /// The range of bytes of a range of elements.
    fn checked(&self, (start, end): Span) -> Result<Span> {
        let size = self.kind.size_bytes();
        if start > end || end > self.len() {
            return Err(Error::InvalidRange { start, end, len: self.len() });
        }
        Ok((start * size, end * size))
    }

    /// The bytes of a range of elements.
    fn bytes(&self, span: Span) -> Result<Vec<GpuSlice<'_, u8>>> {
        within(&self.parts, self.checked(span)?)
    }

    /// Copies bytes to the host.
    fn read(&self, py: Python<'_>, slices: Vec<GpuSlice<'_, u8>>) -> PyResult<Vec<u8>> {
        let mut bytes = Vec::new();
        for slice in slices {
            bytes.extend(wait(py, &self.opened, || self.reducer().read(slice))?);
        }
        Ok(bytes)
    }

    /// A range of elements.
    fn slices(&self, span: Span) -> Result<AnySlices<'_>> {
        AnySlices::new(self.kind, self.bytes(span)?)
    }

    /// A view, and all elements.
    fn all_of(&self, strided: &Strided) -> Result<(View, AnySlices<'_>)> {
        Ok((view(strided)?, self.slices((0, self.len()))?))
    }

    /// The elements as the type that they have.
    pub(crate) fn typed<T: Element>(&self) -> Result<Vec<GpuBuffer<T>>> {
        if T::KIND != self.kind {
            let what = format!("{} elements are wanted, and not {}", T::KIND, self.kind);
            return Err(Error::InvalidBuffer { what });
        }
        let size = self.kind.size_bytes();
        let typed = |part: &GpuBuffer<u8>| {
            GpuBuffer::from_wgpu(part.as_wgpu().clone(), part.offset_bytes(), part.len() / size)
        };
        self.parts.iter().map(typed).collect()
    }
}

/// The view of elements in one buffer or several.
pub(crate) fn view((shape, strides, offset): &Strided) -> Result<View> {
    View::strided(shape, strides, *offset)
}

/// A range of what lies in several buffers.
pub(crate) fn within<T: Pod>(
    parts: &[GpuBuffer<T>],
    (start, end): Span,
) -> Result<Vec<GpuSlice<'_, T>>> {
    let mut before = 0;
    let mut slices = Vec::new();
    for part in parts {
        let len = part.len();
        let local = |at: u64| at.clamp(before, before + len) - before;
        if local(start) < local(end) {
            slices.push(part.slice(local(start)..local(end))?);
        }
        before += len;
    }
    Ok(slices)
}
