//! GPU times of runs that follow each other closely, with results that stay on the GPU.
//!
//! A GPU that is waited for lowers its clock, to half and less, and then tells how fast it is when nobody
//! needs it; one that has rested while the host made data, or looked at results, even more so.
//!
//! Timestamps lie in passes of their own, around several runs: wgpu has the GPU reset a timestamp before it is written,
//! which takes some 8 µs on an NVIDIA H200, as long as a short run.

#[path = "../clock/mod.rs"]
mod clock;

use std::time::{Duration, Instant};
use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandBuffer, CommandEncoder, ComputePassDescriptor,
    ComputePassTimestampWrites, Device, Features, MapMode, PollType, QuerySet, QuerySetDescriptor,
    QueryType, Queue,
};
use wgpu_reduce::{AdapterClass, GpuReducer};
use wgpu_reduce_known::Times;

/// For so long runs that do not count go before.
const WARM_UP: Duration = Duration::from_millis(100);

/// Runs between two timestamps: as many as take so long, at most so many.
const BETWEEN: Duration = Duration::from_millis(4);
const MOST_BETWEEN: u32 = 16;

/// As many are on their way before the first that counts.
const IN_FLIGHT: u32 = 8;

/// Times runs on one device.
pub(crate) struct Flight {
    reducer: GpuReducer,
    device: Device,
    queue: Queue,
    warm_up: Duration,
    repetitions: u32,
    timestamps: Option<Timestamps>,
}

struct Timestamps {
    queries: QuerySet,
    resolved: Buffer,
    on_host: Buffer,
    period_us: f64,
}

impl Flight {
    pub(crate) fn new(reducer: &GpuReducer, repetitions: u32) -> Self {
        let (device, queue) = (reducer.device().clone(), reducer.queue().clone());
        let is_gpu = reducer.caps().class == AdapterClass::Gpu;
        let timestamps = device.features().contains(Features::TIMESTAMP_QUERY).then(|| {
            let buffer = |usage| {
                let size = u64::from(2 * repetitions * wgpu::QUERY_SIZE);
                device.create_buffer(&BufferDescriptor {
                    label: Some("times"),
                    size,
                    usage,
                    mapped_at_creation: false,
                })
            };
            Timestamps {
                queries: device.create_query_set(&QuerySetDescriptor {
                    label: Some("times"),
                    ty: QueryType::Timestamp,
                    count: 2 * repetitions,
                }),
                resolved: buffer(BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC),
                on_host: buffer(BufferUsages::MAP_READ | BufferUsages::COPY_DST),
                period_us: f64::from(queue.get_timestamp_period()) / 1e3,
            }
        });
        let warm_up = if is_gpu { WARM_UP } else { Duration::ZERO };
        let reducer = reducer.clone();
        Self { reducer, device, queue, warm_up, repetitions, timestamps }
    }

    /// The times of what `record` records, in microseconds, each the mean of several; `None` where the device has no timestamps.
    pub(crate) fn gpu_us(&self, record: impl Fn(&mut CommandEncoder)) -> Option<Times> {
        let timestamps = self.timestamps.as_ref()?;
        clock::raise(&self.reducer);
        let together = self.warm_up(&record);
        let before = (0..IN_FLIGHT).map(|_| self.run(None, 1, &record));
        let counted = (0..self.repetitions).map(|number| self.run(Some(number), together, &record));
        let mut runs: Vec<_> = before.chain(counted).collect();
        runs.push(self.resolve(timestamps));
        self.queue.submit(runs);
        let times = self.read(timestamps);
        Times::of(times.into_iter().map(|time| time / f64::from(together)).collect())
    }

    /// How many runs stand between two timestamps.
    fn warm_up(&self, record: impl Fn(&mut CommandEncoder)) -> u32 {
        let (start, mut runs) = (Instant::now(), 0);
        while start.elapsed() < self.warm_up {
            self.queue.submit((0..IN_FLIGHT).map(|_| self.run(None, 1, &record)));
            self.wait();
            runs += IN_FLIGHT;
        }
        let of_one = start.elapsed() / runs.max(1);
        let fit = BETWEEN.as_nanos() / of_one.as_nanos().max(1);
        if runs == 0 { 1 } else { u32::try_from(fit).unwrap_or(u32::MAX).clamp(1, MOST_BETWEEN) }
    }

    fn wait(&self) {
        self.device.poll(PollType::wait_indefinitely()).expect("the device is there");
    }

    fn encoder(&self) -> CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// So many runs; the times before and behind them are noted if they have a number.
    fn run(
        &self,
        number: Option<u32>,
        together: u32,
        record: impl Fn(&mut CommandEncoder),
    ) -> CommandBuffer {
        let mut encoder = self.encoder();
        if let Some(number) = number {
            self.note(&mut encoder, 2 * number);
        }
        (0..together).for_each(|_| record(&mut encoder));
        if let Some(number) = number {
            self.note(&mut encoder, 2 * number + 1);
        }
        encoder.finish()
    }

    /// A pass without work is where a device can tell the time.
    fn note(&self, encoder: &mut CommandEncoder, number: u32) {
        let timestamps = self.timestamps.as_ref();
        encoder.begin_compute_pass(&ComputePassDescriptor {
            label: Some("time"),
            timestamp_writes: timestamps.map(|timestamps| ComputePassTimestampWrites {
                query_set: &timestamps.queries,
                beginning_of_pass_write_index: Some(number),
                end_of_pass_write_index: None,
            }),
        });
    }

    fn resolve(&self, timestamps: &Timestamps) -> CommandBuffer {
        let Timestamps { queries, resolved, on_host, .. } = timestamps;
        let mut encoder = self.encoder();
        encoder.resolve_query_set(queries, 0..2 * self.repetitions, resolved, 0);
        encoder.copy_buffer_to_buffer(resolved, 0, on_host, 0, resolved.size());
        encoder.finish()
    }

    #[expect(clippy::cast_precision_loss, reason = "a difference of times is small")]
    fn read(&self, timestamps: &Timestamps) -> Vec<f64> {
        let slice = timestamps.on_host.slice(..);
        slice.map_async(MapMode::Read, |outcome| outcome.expect("it can be read"));
        self.wait();
        let bytes = slice.get_mapped_range().expect("it is mapped").to_vec();
        timestamps.on_host.unmap();
        let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).expect("8 bytes");
        let elapsed = |pair: &[u8]| number(&pair[8..]).saturating_sub(number(&pair[..8]));
        bytes.chunks_exact(16).map(|pair| elapsed(pair) as f64 * timestamps.period_us).collect()
    }
}
