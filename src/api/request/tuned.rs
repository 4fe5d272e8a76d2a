//! Work that is shaped by numbers of the caller's.

use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::Lowered;
use crate::api::request::work::{DeviceWork, HostWork, Reader, Work};
use crate::error::Result;
use crate::plan::planned::Plan;

/// Work with a tuning of the caller's: what [`Request::tuned`](crate::Request::tuned) makes. Its shape is fixed, since a tuning belongs to one.
#[derive(Debug, Clone)]
pub struct Tuned<W>(pub(crate) W);

impl<W: Work> Work for Tuned<W> {
    type Tuning = W::Tuning;

    fn tune(&mut self, tuning: W::Tuning) {
        self.0.tune(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        self.0.plan(reducer)
    }
}

impl<W: HostWork> HostWork for Tuned<W> {
    type Output = W::Output;

    const IS_TIMED: bool = W::IS_TIMED;

    fn to_host(&self, reducer: &GpuReducer, at_once: bool) -> Result<(Lowered, Reader<W::Output>)> {
        self.0.to_host(reducer, at_once)
    }

    fn place(&self) -> Option<&wgpu::Buffer> {
        self.0.place()
    }
}

impl<W: DeviceWork> DeviceWork for Tuned<W> {
    type Buffer = W::Buffer;
    type Target<'t> = W::Target<'t>;

    fn buffer(&self, reducer: &GpuReducer) -> Result<W::Buffer> {
        self.0.buffer(reducer)
    }

    fn target(buffer: &W::Buffer) -> W::Target<'_> {
        W::target(buffer)
    }

    fn to_device(
        &self,
        reducer: &GpuReducer,
        target: &W::Target<'_>,
    ) -> Result<(Lowered, wgpu::Buffer)> {
        self.0.to_device(reducer, target)
    }
}
