//! A result for each segment.

use super::judge::Judge;
use crate::api::buffer::GpuSlice;
use crate::api::pending::Next;
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::{Ends, Lowered};
use crate::api::request::whole::Whole;
use crate::api::request::work::{HostWork, OneBuffer, Reader, Work};
use crate::error::{Error, Result};
use crate::op::DeviceFold;
use crate::plan::planned::{Left, Plan};
use crate::plan::shapes::segments::SegmentsTuning;
use std::sync::Arc;

/// A reduction of segments: what [`Request::segments`](crate::Request::segments) makes.
#[derive(Debug, Clone)]
pub struct Segments<'a, F, I> {
    pub(crate) whole: Whole<'a, F, I>,
    pub(crate) offsets: GpuSlice<'a, u32>,
    pub(crate) tuning: Option<SegmentsTuning>,
}

impl<F: DeviceFold<I>, I> Work for Segments<'_, F, I> {
    type Tuning = SegmentsTuning;

    fn tune(&mut self, tuning: SegmentsTuning) {
        self.tuning = Some(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        Ok(self.lower(reducer, Ends::Host)?.plan)
    }
}

impl<F: DeviceFold<I>, I> HostWork for Segments<'_, F, I> {
    type Output = Vec<F::Output>;

    fn to_host(&self, reducer: &GpuReducer, _: bool) -> Result<(Lowered, Reader<Vec<F::Output>>)> {
        let lowered = self.lower(reducer, Ends::Host)?;
        let Left::Segments(layout) = lowered.plan.left else {
            return Err(Error::Internal {
                message: "segments are planned as something else".into(),
            });
        };
        let name = lowered.plan.operation;
        let judge = Judge::new(reducer, self.offsets, lowered.plan.len);
        let finisher = self.whole.fold.finisher();
        let reader: Reader<Vec<F::Output>> = Arc::new(move |bytes, _| {
            match layout.results::<I, F::Raw, _>(name, &finisher, bytes) {
                Err(Error::InvalidOffsets { .. }) => judge.ask().map(Next::from),
                results => results.map(Next::Value),
            }
        });
        Ok((lowered, reader))
    }
}

impl<F: DeviceFold<I>, I> OneBuffer for Segments<'_, F, I> {
    type Raw = F::Raw;

    fn results(&self) -> Result<u64> {
        Ok(self.offsets.len.saturating_sub(1))
    }

    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        let Self { whole, offsets, tuning } = self;
        let place = (offsets.buffer, offsets.plan_part());
        reducer.lower_segments(whole.fold.folds(), &whole.inputs, place, *tuning, ends)
    }
}
