//! Work whose time is measured.

use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::Lowered;
use crate::api::request::work::{HostWork, Reader, Work};
use crate::device::timing::Timed;
use crate::error::Result;
use crate::plan::planned::Plan;
use std::sync::Arc;

/// Work whose result comes with the GPU's time: what [`Request::timed`](crate::Request::timed) makes.
#[derive(Debug, Clone)]
pub struct Timing<W>(pub(crate) W);

impl<W: Work> Work for Timing<W> {
    type Tuning = W::Tuning;

    fn tune(&mut self, tuning: W::Tuning) {
        self.0.tune(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        self.0.plan(reducer)
    }
}

impl<W: HostWork> HostWork for Timing<W> {
    type Output = Timed<W::Output>;

    const IS_TIMED: bool = true;

    fn to_host(
        &self,
        reducer: &GpuReducer,
        at_once: bool,
    ) -> Result<(Lowered, Reader<Timed<W::Output>>)> {
        let (lowered, reader) = self.0.to_host(reducer, at_once)?;
        let timed: Reader<Timed<W::Output>> = Arc::new(move |bytes, gpu_ns| {
            reader(bytes, gpu_ns)?.map(move |value| Timed { value, gpu_ns })
        });
        Ok((lowered, timed))
    }

    fn place(&self) -> Option<&wgpu::Buffer> {
        self.0.place()
    }
}
