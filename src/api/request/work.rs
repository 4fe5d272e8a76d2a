//! What requests of every kind are to their verbs.

use super::run_buffers::RunBuffers;
use crate::api::buffer::{GpuBuffer, GpuSlice};
use crate::api::pending::Next;
use crate::api::reducer::GpuReducer;
use crate::api::request::lowered::{Ends, Lowered, Target};
use crate::error::Result;
use crate::plan::planned::Plan;
use bytemuck::Pod;
use std::sync::Arc;

/// What a [`Request`](crate::Request) computes. Sealed: [`Request`](crate::Request) lists what there is.
pub trait Work: Sized {
    /// The numbers that shape it.
    type Tuning;

    #[doc(hidden)]
    fn tune(&mut self, tuning: Self::Tuning);

    /// What would run with results for the host, or for nobody.
    #[doc(hidden)]
    fn plan(&self, reducer: &GpuReducer) -> Result<Plan>;
}

/// Work whose results come back to the host.
#[diagnostic::on_unimplemented(
    message = "the result of this request does not come back by itself",
    label = "its length lies on the GPU: use `encode` or `to_buffer`"
)]
pub trait HostWork: Work {
    /// What comes back.
    type Output: Send + 'static;

    #[doc(hidden)]
    const IS_TIMED: bool = false;

    /// What runs, and what makes a result of what comes back: all of it `at_once`, or with a second reading.
    #[doc(hidden)]
    fn to_host(
        &self,
        reducer: &GpuReducer,
        at_once: bool,
    ) -> Result<(Lowered, Reader<Self::Output>)>;

    /// The buffer of the caller's that results stay in, if they do.
    #[doc(hidden)]
    fn place(&self) -> Option<&wgpu::Buffer> {
        None
    }

    /// Many of them in one submission, if there is a way for that.
    #[doc(hidden)]
    #[must_use]
    fn together(_: &GpuReducer, _: &[&Self]) -> Together<Self::Output> {
        None
    }
}

/// Many of one kind as one, where there is a way for that.
pub(crate) type Together<R> = Option<Result<(Lowered, Reader<Vec<R>>)>>;

/// Work whose results can stay on the GPU.
#[diagnostic::on_unimplemented(
    message = "the results of this request cannot stay on the GPU",
    label = "the host finishes them, or measures their time: use `run` or `start`"
)]
pub trait DeviceWork: Work {
    /// Buffers for results, as [`to_buffer`](crate::Request::to_buffer) leaves them.
    type Buffer;

    /// Where results go, as [`encode`](crate::Request::encode) takes it.
    type Target<'t>;

    #[doc(hidden)]
    fn buffer(&self, reducer: &GpuReducer) -> Result<Self::Buffer>;

    #[doc(hidden)]
    fn target(buffer: &Self::Buffer) -> Self::Target<'_>;

    /// The commands, and the buffer that is their output.
    #[doc(hidden)]
    fn to_device(
        &self,
        reducer: &GpuReducer,
        target: &Self::Target<'_>,
    ) -> Result<(Lowered, wgpu::Buffer)>;
}

/// Work whose results lie side by side in one buffer: all but runs, which have keys and a count.
#[diagnostic::on_unimplemented(
    message = "the results of this request cannot stay on the GPU",
    label = "the host finishes them, or measures their time: use `run` or `start`"
)]
pub trait OneBuffer: Work {
    /// A result as the device leaves it.
    type Raw: Pod + Send;

    /// How many there are.
    fn results(&self) -> Result<u64>;

    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered>;
}

impl<W: OneBuffer> DeviceWork for W {
    type Buffer = GpuBuffer<W::Raw>;
    type Target<'t> = GpuSlice<'t, W::Raw>;

    fn buffer(&self, reducer: &GpuReducer) -> Result<GpuBuffer<W::Raw>> {
        // What is wrong with a request is said before what its results would take.
        let buffer = reducer.alloc(self.results()?);
        buffer.map_err(|error| self.lower(reducer, Ends::Host).err().unwrap_or(error))
    }

    fn target(buffer: &GpuBuffer<W::Raw>) -> GpuSlice<'_, W::Raw> {
        buffer.into()
    }

    fn to_device(
        &self,
        reducer: &GpuReducer,
        target: &GpuSlice<'_, W::Raw>,
    ) -> Result<(Lowered, wgpu::Buffer)> {
        let ends = Ends::Buffer(Target::from(*target));
        Ok((self.lower(reducer, ends)?, target.buffer.clone()))
    }
}

/// Makes a result of the bytes that come back and of the time that the GPU took; or finds that more is to be read.
#[cfg(not(target_family = "wasm"))]
pub(crate) type Reader<R> = Arc<dyn Fn(&[u8], Option<f64>) -> Result<Next<R>> + Send + Sync>;

/// In browsers it stays on its thread, which wgpu's objects cannot leave.
#[cfg(target_family = "wasm")]
pub(crate) type Reader<R> = Arc<dyn Fn(&[u8], Option<f64>) -> Result<Next<R>>>;

/// Where results of a request lie.
pub trait Place {
    /// The buffer that the device writes as its output.
    fn results(&self) -> &wgpu::Buffer;
}

impl<R> Place for GpuSlice<'_, R> {
    fn results(&self) -> &wgpu::Buffer {
        self.buffer
    }
}

impl<K, R> Place for RunBuffers<'_, K, R> {
    fn results(&self) -> &wgpu::Buffer {
        self.results.buffer
    }
}
