//! Quantiles of elements whose type is known at run time.

use crate::elements::{Among, Elements};
use crate::stream::Feed;
use crate::value::{Cell, Cells, Value, cells};
use half::f16;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use wgpu_reduce::{
    ElementKind, Error, GpuReducer, NanQuantiles, QuantileMethod, Quantiles, RankStream, Ranked,
    Result, StreamOptions,
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

    /// NumPy's type of quantiles of elements.
    pub(crate) const fn dtype<T: Ranked<Figure: Value>>() -> &'static str {
        T::Figure::DTYPE
    }

    /// They, found on the host.
    pub(crate) fn on_cpu<T: Ranked<Figure: Value>>(&self, elements: &[T]) -> Result<Vec<Cell>> {
        let found = if self.without_nan {
            self.of_numbers().on_cpu(elements)?
        } else {
            self.all().on_cpu(elements)?
        };
        Ok(found.into_iter().map(Value::cell).collect())
    }

    /// They, of elements that come several times.
    pub(crate) fn streamed<T: Ranked<Figure: Value>>(
        &self,
        reducer: &GpuReducer,
        options: StreamOptions,
    ) -> Result<Box<dyn Feed>> {
        Ok(if self.without_nan {
            Box::new(RankStream::<T, _>::new(reducer, self.of_numbers(), &options)?)
        } else {
            Box::new(RankStream::<T, _>::new(reducer, self.all(), &options)?)
        })
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

/// Quantiles of a range, or for each position of the other axes side by side.
pub(crate) fn quantiles<'py>(
    py: Python<'py>,
    elements: &Elements,
    among: Among<'_>,
    asked: &Asked,
) -> PyResult<Cells<'py>> {
    with_type!(elements.kind(), T => {
        let found = if asked.without_nan {
            elements.found::<T, _>(py, among, asked.of_numbers())?
        } else {
            elements.found::<T, _>(py, among, asked.all())?
        };
        Ok(figures_of::<T>(py, found.concat()))
    })
}

pub(crate) fn figures_of<T: Ranked<Figure: Value>>(
    py: Python<'_>,
    figures: Vec<T::Figure>,
) -> Cells<'_> {
    let figures: Vec<Cell> = figures.into_iter().map(Value::cell).collect();
    cells(py, &figures, T::Figure::DTYPE)
}
