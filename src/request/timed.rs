//! Work whose time is measured.

use super::lowered::Lowered;
use super::work::{HostWork, Reader, Work};
use crate::error::Result;
use crate::planned::Plan;
use crate::reducer::GpuReducer;
use crate::timing::Timed;
use std::sync::Arc;

/// Work whose result comes with the GPU's time: what [`Request::timed`](crate::Request::timed) makes.
#[derive(Debug, Clone)]
pub struct Timing<W>(pub(super) W);

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
