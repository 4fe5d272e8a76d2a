//! Quantiles of elements whose type is known at run time.

use crate::device::{exception, wait};
use crate::elements::{Elements, Span, Strided, view, within};
use crate::value::{Cell, Cells, Value, cells};
use half::f16;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use wgpu_reduce::{
    AlongFold, ElementKind, Error, Fold, NanQuantiles, QuantileMethod, Quantiles, Ranked,
};

/// Which quantiles.
pub(crate) struct Asked {
    shares: Vec<f64>,
    method: QuantileMethod,
    without_nan: bool,
}

impl Asked {
    pub(crate) fn new(shares: Vec<f64>, method: &str, without_nan: bool) -> PyResult<Self> {
        let found = QuantileMethod::ALL.into_iter().find(|known| known.name() == method);
        let names = || QuantileMethod::ALL.map(QuantileMethod::name).join(", ");
        let method = found.ok_or_else(|| {
            PyValueError::new_err(format!("'{method}' is no method; there are {}", names()))
        })?;
        Ok(Self { shares, method, without_nan })
    }

    fn all(&self) -> Quantiles {
        Quantiles::new(&self.shares[..]).method(self.method)
    }

    fn of_numbers(&self) -> NanQuantiles {
        NanQuantiles::new(&self.shares[..]).method(self.method)
    }
}

/// What an expression gives for the type that a kind stands for.
macro_rules! with_type {
    ($kind:expr, $name:ident => $result:expr, of $($variant:ident $element:ty),*) => {
        match $kind {
            $(ElementKind::$variant => {
                type $name = $element;
                $result
            })*
            kind => {
                let what = Error::NotDefined { operation: "this", element: kind.name() };
                Err($crate::device::exception(what))
            }
        }
    };
    ($kind:expr, $name:ident => $result:expr) => {
        $crate::order::with_type!($kind, $name => $result, of
            F16 f16, F32 f32, F64 f64, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64)
    };
}
pub(crate) use with_type;

/// Of a range.
pub(crate) fn of_range<'py>(
    py: Python<'py>,
    elements: &Elements,
    span: Span,
    asked: &Asked,
) -> PyResult<Cells<'py>> {
    with_type!(elements.kind(), T => range_of::<T>(py, elements, span, asked))
}

/// For each position of the other axes.
pub(crate) fn along<'py>(
    py: Python<'py>,
    elements: &Elements,
    strided: &Strided,
    axes: &[usize],
    asked: &Asked,
) -> PyResult<Cells<'py>> {
    with_type!(elements.kind(), T => if asked.without_nan {
        along_of::<T, _>(py, elements, strided, axes, asked.of_numbers())
    } else {
        along_of::<T, _>(py, elements, strided, axes, asked.all())
    })
}

fn range_of<'py, T: Ranked<Figure: Value>>(
    py: Python<'py>,
    elements: &Elements,
    span: Span,
    asked: &Asked,
) -> PyResult<Cells<'py>> {
    if asked.without_nan {
        whole::<T, _>(py, elements, span, asked.of_numbers())
    } else {
        whole::<T, _>(py, elements, span, asked.all())
    }
}

fn whole<'py, T: Ranked<Figure: Value>, F: Fold<T, Output = Vec<T::Figure>> + Sync>(
    py: Python<'py>,
    elements: &Elements,
    span: Span,
    fold: F,
) -> PyResult<Cells<'py>> {
    let parts = elements.typed::<T>().map_err(exception)?;
    let slices = within(&parts, span).map_err(exception)?;
    let request = elements.reducer().reduce(fold, &slices[..]);
    let figures = wait(py, elements.opened(), || request.start())?;
    Ok(figures_of::<T>(py, figures))
}

fn along_of<'py, T, F>(
    py: Python<'py>,
    elements: &Elements,
    strided: &Strided,
    axes: &[usize],
    fold: F,
) -> PyResult<Cells<'py>>
where
    T: Ranked<Figure: Value>,
    F: AlongFold<T, Output = Vec<T::Figure>> + Sync,
{
    let parts = elements.typed::<T>().map_err(exception)?;
    let seen = view(strided).map_err(exception)?;
    let request = elements.reducer().reduce(fold, &parts).along(seen, axes);
    let figures = wait(py, elements.opened(), || request.start())?;
    Ok(figures_of::<T>(py, figures.into_iter().flatten().collect()))
}

fn figures_of<T: Ranked<Figure: Value>>(py: Python<'_>, figures: Vec<T::Figure>) -> Cells<'_> {
    let figures: Vec<Cell> = figures.into_iter().map(Value::cell).collect();
    cells(py, &figures, T::Figure::DTYPE)
}
