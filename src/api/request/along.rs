//! A result for each position of the other axes.

use crate::api::input::{Input, Inputs};
use crate::api::pending::Next;
use crate::api::reducer::GpuReducer;
use crate::api::request::Request;
use crate::api::request::lowered::{Ends, Lowered};
use crate::api::request::whole::Whole;
use crate::api::request::work::{HostWork, OneBuffer, Reader, Work};
use crate::error::Result;
use crate::op::fold::Many;
use crate::op::{AlongFold, DeviceFold, ShapedFold};
use crate::plan::planned::Plan;
use crate::plan::shapes::axis::{AxisSet, AxisTuning, View, results_in};
use std::sync::Arc;

/// A reduction along axes: what [`Request::along`](crate::Request::along) makes.
#[derive(Debug, Clone)]
pub struct Along<'a, F, I> {
    pub(crate) whole: Whole<'a, F, I>,
    pub(crate) view: View,
    pub(crate) axes: AxisSet,
    pub(crate) mask: Option<Inputs<'a>>,
    pub(crate) tuning: Option<AxisTuning>,
}

impl<F: AlongFold<I>, I> Along<'_, F, I> {
    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        let Self { whole, view, axes, mask, tuning } = self;
        let inputs = (&whole.inputs, mask.as_ref());
        reducer.lower_axis(whole.fold.folds(), inputs, (*view, *axes), *tuning, ends)
    }
}

impl<'a, F: ShapedFold<I>, I> Request<Along<'a, F, I>> {
    /// Reduces the elements whose byte in a mask is not zero, as [`masked`](Request::masked) does of a whole input. The view is that of the
    /// mask, too: the byte of an element has the element's place.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Error, Matrix, Max, Mean};
    ///
    /// let matrix = Matrix { rows: 2, columns: 3 };
    /// let values = reducer.upload(&[1.0_f32, f32::NAN, 3.0, 4.0, 5.0, 6.0])?;
    /// let mask = reducer.upload(&[1_u8, 0, 1, 0, 1, 1])?;
    /// assert_eq!(reducer.reduce(Mean, &values).rows(matrix).masked(&mask).run()?, [2.0, 5.5]);
    ///
    /// let empty = reducer.reduce(Max, &values).columns(matrix).masked(&reducer.upload(&[1, 0, 1, 1, 0, 1])?).run();
    /// assert_eq!(empty, Err(Error::EmptyResult { operation: "max", result: 1 }));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if the mask has not as many elements as the input,
    /// [`Error::Unsupported`](crate::Error::Unsupported) for pairs and custom operators and for indices of 2^32 elements and more,
    /// [`Error::EmptyResult`](crate::Error::EmptyResult) for a result of which no element counts, where there is none of no elements; otherwise as
    /// [`along`](Request::along). Of two masks the last counts.
    pub fn masked(self, mask: impl Input<'a, Item = u8>) -> Self {
        let mask = Some(mask.inputs());
        self.map(|along| Along { mask, ..along })
    }
}

impl<F: AlongFold<I>, I> Work for Along<'_, F, I> {
    type Tuning = AxisTuning;

    fn tune(&mut self, tuning: AxisTuning) {
        self.tuning = Some(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        Ok(self.lower(reducer, Ends::Host)?.plan)
    }
}

impl<F: AlongFold<I>, I> HostWork for Along<'_, F, I> {
    type Output = Vec<F::Output>;

    fn to_host(&self, reducer: &GpuReducer, _: bool) -> Result<(Lowered, Reader<Vec<F::Output>>)> {
        let lowered = self.lower(reducer, Ends::Host)?;
        let results = usize::try_from(lowered.plan.results).unwrap_or(usize::MAX);
        let Plan { operation, element, result_bytes, .. } = lowered.plan;
        let result_bytes = usize::try_from(result_bytes).unwrap_or(usize::MAX);
        let of = Many { operation, element, result_bytes };
        let lens = (lowered.plan.len, lowered.plan.counts());
        let finisher = self.whole.fold.finisher();
        let reader: Reader<Vec<F::Output>> = Arc::new(move |bytes, _| {
            results_in(bytes, (of, results), lens, &*finisher).map(Next::Value)
        });
        Ok((lowered, reader))
    }
}

impl<F: DeviceFold<I>, I> OneBuffer for Along<'_, F, I> {
    type Raw = F::Raw;

    fn results(&self) -> Result<u64> {
        Ok(self.view.shape_without(self.axes)?.iter().product())
    }

    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        Self::lower(self, reducer, ends)
    }
}
