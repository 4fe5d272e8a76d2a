//! A result for each position of the other axes.

use crate::api::pending::Next;
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::{Ends, Lowered};
use crate::api::request::whole::Whole;
use crate::api::request::work::{HostWork, OneBuffer, Reader, Work};
use crate::error::{Error, Result};
use crate::op::DeviceFold;
use crate::op::decode;
use crate::op::fold::FinishEach;
use crate::plan::planned::Plan;
use crate::plan::shapes::axis::{AxisTuning, View};
use std::sync::Arc;

/// A reduction along an axis: what [`Request::along`](crate::Request::along) makes.
#[derive(Debug, Clone)]
pub struct Along<'a, F, I> {
    pub(crate) whole: Whole<'a, F, I>,
    pub(crate) view: View,
    pub(crate) axis: usize,
    pub(crate) tuning: Option<AxisTuning>,
}

impl<F: DeviceFold<I>, I> Work for Along<'_, F, I> {
    type Tuning = AxisTuning;

    fn tune(&mut self, tuning: AxisTuning) {
        self.tuning = Some(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        Ok(self.lower(reducer, Ends::Host)?.plan)
    }
}

impl<F: DeviceFold<I>, I> HostWork for Along<'_, F, I> {
    type Output = Vec<F::Output>;

    fn to_host(&self, reducer: &GpuReducer, _: bool) -> Result<(Lowered, Reader<Vec<F::Output>>)> {
        let lowered = self.lower(reducer, Ends::Host)?;
        let (len, results) = (lowered.plan.len, lowered.plan.results);
        let results = usize::try_from(results).unwrap_or(usize::MAX);
        let finisher = self.whole.fold.finisher();
        let reader: Reader<Vec<F::Output>> = Arc::new(move |bytes, _| {
            let result = |(raw, result): (Result<F::Raw>, u64)| {
                finisher.finish_each(raw?, len).map_err(|error| match error {
                    Error::Empty { operation } => Error::EmptyResult { operation, result },
                    error => error,
                })
            };
            let results = decode::values(bytes).take(results).zip(0..).map(result);
            results.collect::<Result<_>>().map(Next::Value)
        });
        Ok((lowered, reader))
    }
}

impl<F: DeviceFold<I>, I> OneBuffer for Along<'_, F, I> {
    type Raw = F::Raw;

    fn results(&self) -> Result<u64> {
        Ok(self.view.without(self.axis)?.iter().product())
    }

    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        let Self { whole, view, axis, tuning } = self;
        reducer.lower_axis(whole.fold.folds(), &whole.inputs, (*view, *axis), *tuning, ends)
    }
}
