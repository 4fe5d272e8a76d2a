//! Work whose results stay in a buffer of the caller's.

use crate::api::pending::Next;
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::Lowered;
use crate::api::request::work::{DeviceWork, HostWork, Reader, Work};
use crate::error::Result;
use crate::plan::planned::Plan;
use std::sync::Arc;

/// Work whose results stay in a buffer of the caller's: what [`Request::output`](crate::Request::output) makes.
#[derive(Debug, Clone)]
pub struct Output<W, T> {
    pub(crate) work: W,
    pub(crate) target: T,
}

impl<'t, W: DeviceWork<Target<'t> = T>, T> Work for Output<W, T> {
    type Tuning = W::Tuning;

    fn tune(&mut self, tuning: W::Tuning) {
        self.work.tune(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        Ok(self.work.to_device(reducer, &self.target)?.0.plan)
    }
}

impl<'t, W: DeviceWork<Target<'t> = T>, T: crate::api::request::work::Place> HostWork
    for Output<W, T>
{
    type Output = ();

    fn to_host(&self, reducer: &GpuReducer, _: bool) -> Result<(Lowered, Reader<()>)> {
        let (lowered, _) = self.work.to_device(reducer, &self.target)?;
        Ok((lowered, Arc::new(|_, _| Ok(Next::Value(())))))
    }

    fn place(&self) -> Option<&wgpu::Buffer> {
        Some(self.target.results())
    }
}
