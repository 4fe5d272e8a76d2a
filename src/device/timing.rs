//! GPU time, by timestamps around a compute pass.

use crate::device::allowance::Held;
use crate::device::context::Context;
use crate::error::Result;

/// A value and how long the GPU took for it: what [`Request::timed`](crate::Request::timed) brings.
///
/// ```no_run
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Min, Timed};
///
/// let buffer = reducer.upload(&[3_u32, 1, 2])?;
/// let Timed { value, gpu_ns } = reducer.reduce(Min, &buffer).timed().start()?.wait()?;
/// assert_eq!(value, 1);
/// assert!(gpu_ns.is_none_or(|gpu_ns| gpu_ns > 0.0));
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timed<T> {
    /// The value.
    pub value: T,
    /// From the start of the first pass to the end of the last, in nanoseconds. `None` where the
    /// device has no timestamps, or returned none (they are allowed to read zero).
    pub gpu_ns: Option<f64>,
}

/// Two timestamps and the way to read them.
#[derive(Debug)]
pub(crate) struct Timer {
    queries: wgpu::QuerySet,
    resolved: Held,
    period_ns: f64,
}

impl Timer {
    /// Bytes of the two timestamps.
    pub(crate) const BYTES: u64 = 16;

    /// A timer, if the device has timestamps.
    pub(crate) fn new(context: &Context) -> Result<Option<Self>> {
        if !context.timestamps {
            return Ok(None);
        }
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        let resolved =
            context.create_buffer("wgpu-reduce timestamps", Self::BYTES, usage, false)?;
        let queries = context.scoped(Self::BYTES, || {
            Ok(context.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("wgpu-reduce"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }))
        })?;
        let period_ns = f64::from(context.queue.get_timestamp_period());
        Ok(Some(Self { queries, resolved, period_ns }))
    }

    pub(crate) fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Records the copy of both timestamps to `target`, from byte `offset` on.
    pub(crate) fn resolve(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::Buffer,
        offset: u64,
    ) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, target, offset, Self::BYTES);
    }

    pub(crate) fn period_ns(&self) -> f64 {
        self.period_ns
    }
}

/// The value's bytes and the time behind them, where there is one.
pub(crate) fn split_times(
    bytes: &[u8],
    value_bytes: u64,
    period_ns: Option<f64>,
) -> (&[u8], Option<f64>) {
    let at = usize::try_from(value_bytes).unwrap_or(usize::MAX);
    let (value, ticks) = bytes.split_at_checked(at).unwrap_or_default();
    (value, period_ns.and_then(|period_ns| elapsed_ns(ticks, period_ns)))
}

/// The time between two timestamps as they were read back.
#[expect(clippy::cast_precision_loss, reason = "a difference of timestamps is far below 2^53")]
fn elapsed_ns(bytes: &[u8], period_ns: f64) -> Option<f64> {
    let ticks = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let elapsed = ticks(8)?.checked_sub(ticks(0)?)?;
    (elapsed > 0).then_some(elapsed as f64 * period_ns)
}
