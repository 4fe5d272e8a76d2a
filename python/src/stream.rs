//! Reductions of elements that come in pieces, of a type that is known at run time.

#![expect(clippy::needless_pass_by_value, reason = "arguments from Python are made for the call")]

use crate::device::{Opened, exception, open, run, wait};
use crate::elements::kind_of;
use crate::exact::with_exact;
use crate::operations::operation;
use crate::order::{Asked, figures_of, with_type};
use crate::value::{Cell, Cells, Value, cells};
use bytemuck::{Pod, pod_collect_to_vec, try_cast_slice};
use half::f16;
use numpy::{IntoPyArray as _, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use wgpu_reduce::{
    AnyStream, Bins, Element, ElementKind, Error, ExactElement, ExactStream, HistogramStream,
    OrderStatistic, RankStream, Ranked, Result, StreamOptions,
};

/// What takes the bytes of elements.
pub(crate) trait Feed: Send {
    fn push(&mut self, bytes: &[u8]) -> Result<()>;

    fn finish<'py>(self: Box<Self>, py: Python<'py>, used: &Opened) -> PyResult<End<'py>>;
}

/// The outcome of a reading of all elements.
pub(crate) enum End<'py> {
    Result(Cells<'py>),
    /// They are to be pushed once more.
    Again(Box<dyn Feed>),
}

/// A reduction of elements that come in pieces.
#[pyclass(frozen, module = "wgpu_reduce._native")]
pub(crate) struct Stream {
    opened: Opened,
    /// None when it has ended.
    feed: Mutex<Option<Box<dyn Feed>>>,
}

#[pymethods]
impl Stream {
    /// An operation, with so many bytes in memory at a time.
    #[staticmethod]
    fn reduction(
        py: Python<'_>,
        name: &str,
        element: &str,
        ddof: u32,
        memory: u64,
    ) -> PyResult<Self> {
        let kind = kind_of(element)?;
        let (operation, dtype) = operation(name, ddof, kind).map_err(exception)?;
        Self::new(py, |opened| {
            let options = StreamOptions::new(memory);
            let stream = AnyStream::new(&opened.reducer, &operation, kind, &options)?;
            Ok(Box::new(Reduction(stream, dtype)))
        })
    }

    /// The counts of bins.
    #[staticmethod]
    fn histogram(py: Python<'_>, element: &str, edges: Vec<f64>, memory: u64) -> PyResult<Self> {
        let bins = Bins::edges(&edges).map_err(exception)?;
        let options = StreamOptions::new(memory);
        with_type!(kind_of(element)?, T => Self::new(py, |opened| {
            Ok(Box::new(HistogramStream::<T>::new(&opened.reducer, 1, &bins, &options)?))
        }))
    }

    /// The bytes of an exact sum.
    #[staticmethod]
    fn exact(py: Python<'_>, element: &str, memory: u64) -> PyResult<Self> {
        let options = StreamOptions::new(memory);
        with_exact!(kind_of(element)?, "exact sum", T => Self::new(py, |opened| {
            Ok(Box::new(ExactStream::<T>::new(&opened.reducer, &options)?))
        }))
    }

    /// Quantiles, one for each share. Elements may be asked for several times.
    #[staticmethod]
    fn quantiles(
        py: Python<'_>,
        element: &str,
        shares: Vec<f64>,
        method: &str,
        without_nan: bool,
        memory: u64,
    ) -> PyResult<Self> {
        let asked = Asked::new(shares, method, without_nan)?;
        let options = StreamOptions::new(memory);
        with_type!(kind_of(element)?, T => Self::new(py, |opened| {
            asked.streamed::<T>(&opened.reducer, options)
        }))
    }

    /// Takes the bytes of the next elements.
    fn push(&self, py: Python<'_>, bytes: PyReadonlyArray1<'_, u8>) -> PyResult<()> {
        let bytes = bytes.as_slice()?;
        // The lock is taken and given back while other threads of Python run: none waits for both.
        let pushed = run(py, &self.opened, || {
            let mut feed = self.feed.lock().unwrap_or_else(PoisonError::into_inner);
            feed.as_mut().map(|feed| feed.push(bytes)).transpose()
        });
        pushed?.ok_or_else(ended)
    }

    /// Ends the stream, and waits for the result. There is none where all elements are to be pushed once more.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Option<Cells<'py>>> {
        let taken = run(py, &self.opened, || {
            Ok(self.feed.lock().unwrap_or_else(PoisonError::into_inner).take())
        });
        let again = match taken?.ok_or_else(ended)?.finish(py, &self.opened)? {
            End::Result(cells) => return Ok(Some(cells)),
            End::Again(feed) => feed,
        };
        run(py, &self.opened, || {
            *self.feed.lock().unwrap_or_else(PoisonError::into_inner) = Some(again);
            Ok(())
        })?;
        Ok(None)
    }
}

impl Stream {
    fn new(
        py: Python<'_>,
        make: impl FnOnce(&Opened) -> Result<Box<dyn Feed>> + Send,
    ) -> PyResult<Self> {
        let opened = open(py)?;
        let feed = run(py, &opened, || make(&opened))?;
        Ok(Self { opened, feed: Mutex::new(Some(feed)) })
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the stream has ended")
}

/// A stream, and NumPy's type of its result.
struct Reduction(AnyStream<Cell>, &'static str);

impl Feed for Reduction {
    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.push(&[bytes])
    }

    fn finish<'py>(self: Box<Self>, py: Python<'py>, used: &Opened) -> PyResult<End<'py>> {
        let Self(stream, dtype) = *self;
        Ok(End::Result(cells(py, &[wait(py, used, || stream.finish())?], dtype)))
    }
}

impl<T: Element> Feed for HistogramStream<T> {
    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        Self::push(self, &typed(bytes)?)
    }

    fn finish<'py>(self: Box<Self>, py: Python<'py>, used: &Opened) -> PyResult<End<'py>> {
        let histograms = wait(py, used, || Self::finish(*self))?;
        let counts = histograms.into_iter().flat_map(|histogram| histogram.counts);
        let counts: Vec<Cell> = counts.map(u64::cell).collect();
        Ok(End::Result(cells(py, &counts, u64::DTYPE)))
    }
}

impl<T: ExactElement> Feed for ExactStream<T> {
    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        Self::push(self, &typed(bytes)?)
    }

    fn finish<'py>(self: Box<Self>, py: Python<'py>, used: &Opened) -> PyResult<End<'py>> {
        let sum = wait(py, used, || Self::finish(*self))?;
        Ok(End::Result((sum.to_bytes().into_pyarray(py), u8::DTYPE)))
    }
}

impl<T, S> Feed for RankStream<T, S>
where
    T: Ranked<Figure: Value>,
    S: OrderStatistic<T, Output = Vec<T::Figure>> + Send + 'static,
{
    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        Self::push(self, &typed(bytes)?)
    }

    fn finish<'py>(self: Box<Self>, py: Python<'py>, used: &Opened) -> PyResult<End<'py>> {
        Ok(match run(py, used, || Self::end(*self))? {
            ControlFlow::Break(figures) => End::Result(figures_of::<T>(py, figures)),
            ControlFlow::Continue(again) => End::Again(Box::new(again)),
        })
    }
}

/// Elements of bytes, which are copied where they are not aligned.
pub(crate) fn typed<T: Pod>(bytes: &[u8]) -> Result<Cow<'_, [T]>> {
    let size = size_of::<T>();
    if !bytes.len().is_multiple_of(size) {
        let what = format!("{} bytes are not whole elements of {size}", bytes.len());
        return Err(Error::InvalidBytes { what });
    }
    Ok(match try_cast_slice(bytes) {
        Ok(elements) => Cow::Borrowed(elements),
        Err(_) => Cow::Owned(pod_collect_to_vec(bytes)),
    })
}
