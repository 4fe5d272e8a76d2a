//! A result for each segment.

use super::judge::Judge;
use crate::api::buffer::GpuSlice;
use crate::api::pending::Next;
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::{Ends, Lowered};
use crate::api::request::whole::Whole;
use crate::api::request::work::{HostWork, OneBuffer, Reader, Work};
use crate::error::{Error, Result};
use crate::op::fold::{Finisher, Many};
use crate::op::{DeviceFold, ShapedFold};
use crate::plan::planned::{Outputs, Plan};
use crate::plan::shapes::segments::{Layout, SegmentsTuning};
use std::sync::Arc;

/// A reduction of segments: what [`Request::segments`](crate::Request::segments) makes.
#[derive(Debug, Clone)]
pub struct Segments<'a, F, I> {
    pub(crate) whole: Whole<'a, F, I>,
    pub(crate) offsets: GpuSlice<'a, u32>,
    pub(crate) tuning: Option<SegmentsTuning>,
}

impl<F: ShapedFold<I>, I> Segments<'_, F, I> {
    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        let Self { whole, offsets, tuning } = self;
        let place = (offsets.buffer, offsets.plan_part());
        reducer.lower_segments(whole.fold.folds(), &whole.inputs, place, *tuning, ends)
    }
}

impl<F: ShapedFold<I>, I> Work for Segments<'_, F, I> {
    type Tuning = SegmentsTuning;

    fn tune(&mut self, tuning: SegmentsTuning) {
        self.tuning = Some(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        Ok(self.lower(reducer, Ends::Host)?.plan)
    }
}

impl<F: ShapedFold<I>, I> HostWork for Segments<'_, F, I> {
    type Output = Vec<F::Output>;

    fn to_host(&self, reducer: &GpuReducer, _: bool) -> Result<(Lowered, Reader<Vec<F::Output>>)> {
        let lowered = self.lower(reducer, Ends::Host)?;
        let Outputs::Segments(layout) = lowered.plan.outputs else {
            return Err(Error::Internal {
                message: "segments are planned as something else".into(),
            });
        };
        let of = self.whole.many()?;
        let judge = Judge::new(reducer, self.offsets, lowered.plan.len);
        let reader = reader(layout, of, judge, self.whole.fold.finisher());
        Ok((lowered, reader))
    }
}

fn reader<R: Send + 'static>(
    layout: Layout,
    of: Many,
    judge: Judge,
    finisher: Finisher<R>,
) -> Reader<Vec<R>> {
    Arc::new(move |bytes, _| match layout.results(of, &*finisher, bytes) {
        Err(Error::InvalidOffsets { .. }) => judge.ask().map(Next::from),
        results => results.map(Next::Value),
    })
}

impl<F: DeviceFold<I>, I> OneBuffer for Segments<'_, F, I> {
    type Raw = F::Raw;

    fn results(&self) -> Result<u64> {
        Ok(self.offsets.len.saturating_sub(1))
    }

    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        Self::lower(self, reducer, ends)
    }
}
