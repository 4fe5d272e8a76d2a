//! A result for each position of the other axes.

use crate::api::pending::Next;
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::{Ends, Lowered};
use crate::api::request::whole::Whole;
use crate::api::request::work::{HostWork, OneBuffer, Reader, Work};
use crate::error::{Error, Result};
use crate::op::fold::{Finisher, Many, ManyLeft};
use crate::op::{AlongFold, DeviceFold};
use crate::plan::planned::Plan;
use crate::plan::shapes::axis::{AxisSet, AxisTuning, View};
use std::sync::Arc;

/// A reduction along axes: what [`Request::along`](crate::Request::along) makes.
#[derive(Debug, Clone)]
pub struct Along<'a, F, I> {
    pub(crate) whole: Whole<'a, F, I>,
    pub(crate) view: View,
    pub(crate) axes: AxisSet,
    pub(crate) tuning: Option<AxisTuning>,
}

impl<F: AlongFold<I>, I> Along<'_, F, I> {
    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        let Self { whole, view, axes, tuning } = self;
        reducer.lower_axis(whole.fold.folds(), &whole.inputs, (*view, *axes), *tuning, ends)
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
        let reader = reader(of, results, lowered.plan.len, self.whole.fold.finisher());
        Ok((lowered, reader))
    }
}

/// Makes results of what comes back, each of `len` elements.
fn reader<R: Send + 'static>(
    of: Many,
    results: usize,
    len: u64,
    finisher: Finisher<R>,
) -> Reader<Vec<R>> {
    Arc::new(move |bytes, _| {
        let left = ManyLeft { of, bytes, results, len, lens: &[] };
        let results = finisher.finish_each(left).map_err(|(result, error)| match error {
            Error::Empty { operation } => Error::EmptyResult { operation, result: result as u64 },
            error => error,
        });
        results.map(Next::Value)
    })
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
