//! One result of the first elements, as many as a number on the GPU says.

use crate::api::buffer::GpuSlice;
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::{Ends, Lowered};
use crate::api::request::whole::Whole;
use crate::api::request::work::{OneBuffer, Work};
use crate::error::Result;
use crate::op::DeviceFold;
use crate::plan::planned::{Plan, WholeTuning};

/// A reduction of the first elements of an input: what [`Request::counted`](crate::Request::counted) makes.
#[derive(Debug, Clone)]
pub struct Counted<'a, F, I> {
    pub(crate) whole: Whole<'a, F, I>,
    pub(crate) count: GpuSlice<'a, u32>,
    pub(crate) tuning: Option<WholeTuning>,
}

impl<F: DeviceFold<I>, I> Work for Counted<'_, F, I> {
    type Tuning = WholeTuning;

    fn tune(&mut self, tuning: WholeTuning) {
        self.tuning = Some(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        Ok(self.lower(reducer, Ends::Host)?.plan)
    }
}

impl<F: DeviceFold<I>, I> OneBuffer for Counted<'_, F, I> {
    type Raw = F::Raw;

    fn results(&self) -> Result<u64> {
        Ok(1)
    }

    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        let Self { whole, count, tuning } = self;
        let place = (count.buffer, count.plan_part());
        reducer.lower_counted(whole.fold.folds(), &whole.inputs, place, *tuning, ends)
    }
}
