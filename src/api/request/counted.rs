//! One result of the first elements, as many as a number on the GPU says.

use crate::api::buffer::{GpuBuffer, GpuSlice};
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::{Lowered, Target};
use crate::api::request::whole::Whole;
use crate::api::request::work::{DeviceWork, Work};
use crate::error::Result;
use crate::op::DeviceFold;
use crate::plan::planned::Plan;
use crate::plan::shapes::segments::SegmentsTuning;

/// A reduction of the first elements of an input: what [`Request::counted`](crate::Request::counted) makes.
#[derive(Debug, Clone)]
pub struct Counted<'a, F, I> {
    pub(crate) whole: Whole<'a, F, I>,
    pub(crate) count: GpuSlice<'a, u32>,
    pub(crate) tuning: Option<SegmentsTuning>,
}

impl<F: DeviceFold<I>, I> Counted<'_, F, I> {
    fn lower(&self, reducer: &GpuReducer, target: Target<'_>) -> Result<Lowered> {
        let Self { whole, count, tuning } = self;
        let place = (count.buffer, count.plan_part());
        reducer.lower_counted(whole.fold.folds(), &whole.inputs, place, *tuning, target)
    }
}

impl<F: DeviceFold<I>, I> Work for Counted<'_, F, I> {
    type Tuning = SegmentsTuning;

    fn tune(&mut self, tuning: SegmentsTuning) {
        self.tuning = Some(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        let buffer = self.buffer(reducer)?;
        Ok(self.lower(reducer, Target::from(GpuSlice::from(&buffer)))?.plan(reducer))
    }
}

impl<F: DeviceFold<I>, I> DeviceWork for Counted<'_, F, I> {
    type Buffer = GpuBuffer<F::Raw>;
    type Target<'t> = GpuSlice<'t, F::Raw>;

    fn buffer(&self, reducer: &GpuReducer) -> Result<GpuBuffer<F::Raw>> {
        reducer.alloc(1)
    }

    fn target(buffer: &GpuBuffer<F::Raw>) -> GpuSlice<'_, F::Raw> {
        buffer.into()
    }

    fn to_device(
        &self,
        reducer: &GpuReducer,
        target: &GpuSlice<'_, F::Raw>,
    ) -> Result<(Lowered, wgpu::Buffer)> {
        Ok((self.lower(reducer, Target::from(*target))?, target.buffer.clone()))
    }
}
