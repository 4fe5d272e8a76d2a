//! The levels of the ladder, in their default forms, in GPU time; see `METHODOLOGY.md`.
//!
//! `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter. Without timestamps the time is that of
//! the call.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::time::{Duration, Instant};
use wgpu_reduce::ladder::{Ladder, Level, RunOptions};
use wgpu_reduce::{
    AdapterClass, ElementKind, GpuBuffer, GpuReducer, Operation as _, Pending, Sum, Timed,
};
use wgpu_reduce_known::{agrees, hash, uniform};

/// log2 of the lengths; on a CPU without the last.
const SIZES: [u32; 3] = [16, 20, 24];

/// One invocation takes seconds for more.
const LARGEST_OF_ONE_INVOCATION: u32 = 16;

struct Subject {
    reducer: GpuReducer,
    sizes: &'static [u32],
    buffer: GpuBuffer<f32>,
    values: Vec<f32>,
}

impl Subject {
    fn new(reducer: GpuReducer) -> Self {
        let is_cpu = reducer.caps().class == AdapterClass::Cpu;
        let sizes = if is_cpu { &SIZES[..2] } else { &SIZES };
        let largest = sizes.iter().max().copied().unwrap_or_default();
        let values: Vec<_> = (0..1 << largest).map(|index| uniform(hash(index))).collect();
        let buffer = reducer.upload(&values).expect("the data fits");
        Self { reducer, sizes, buffer, values }
    }

    fn run(&self, level: Level, log_len: u32) -> Timed<Vec<f32>> {
        let slice = self.buffer.slice(..1_u64 << log_len).expect("the length is available");
        let options = RunOptions::default();
        let pending = Ladder::new(&self.reducer).rows(level, &options, slice, 1);
        pending.and_then(Pending::wait).expect("the level runs")
    }

    /// Panics on a wrong answer: a time for it would mean nothing.
    fn check(&self, level: Level, log_len: u32) {
        let sum = self.run(level, log_len).value[0];
        let expected = Sum.on_cpu(&self.values[..1 << log_len]).expect("the oracle runs");
        // All terms are positive. Level 00 rounds once for each of them.
        let tolerance = if level == Level::SingleThread { 1e-3 } else { 1e-5 };
        let is_right = agrees(sum.into(), expected.into(), f64::from(expected) * tolerance);
        assert!(is_right, "{level} of 2^{log_len}: {sum} is not {expected}");
    }

    /// Those that the device can run.
    fn levels(&self) -> Vec<Level> {
        let caps = self.reducer.caps();
        let can_run = |level: &Level| !level.needs().subgroups || caps.subgroups.is_some();
        Level::ALL.into_iter().filter(can_run).collect()
    }

    fn sizes(&self, level: Level) -> impl Iterator<Item = u32> {
        let is_slow = level == Level::SingleThread;
        let fits = move |log_len: &u32| !is_slow || *log_len <= LARGEST_OF_ONE_INVOCATION;
        self.sizes.iter().copied().filter(fits)
    }
}

fn bench(criterion: &mut Criterion, subject: &Subject) {
    let levels = subject.levels();
    for &level in &levels {
        subject.sizes(level).for_each(|log_len| subject.check(level, log_len));
    }
    let has_timer = subject.run(Level::GridStride, SIZES[1]).gpu_ns.is_some();
    let mut group = criterion.benchmark_group(if has_timer { "ladder/gpu" } else { "ladder/call" });
    // Criterion counts GPU time alone; the calls around it take several times that.
    group.measurement_time(Duration::from_millis(if has_timer { 100 } else { 800 }));
    for level in levels {
        for log_len in subject.sizes(level) {
            group.throughput(Throughput::Bytes(ElementKind::F32.size_bytes() << log_len));
            let id = BenchmarkId::new(level.to_string(), format!("2^{log_len}"));
            group.bench_function(id, |bencher| {
                bencher.iter_custom(|iterations| {
                    (0..iterations).map(|_| time(subject, level, log_len, has_timer)).sum()
                });
            });
        }
    }
    group.finish();
}

/// The time of the passes, or of the call.
fn time(subject: &Subject, level: Level, log_len: u32, has_timer: bool) -> Duration {
    let start = Instant::now();
    let timed = subject.run(level, log_len);
    if has_timer {
        Duration::from_secs_f64(timed.gpu_ns.expect("the device tells times") * 1e-9)
    } else {
        start.elapsed()
    }
}

fn main() {
    env_logger::init();
    let reducer = GpuReducer::new().expect("an adapter is needed");
    let info = reducer.adapter_info();
    println!("adapter: {}, driver {} {}", reducer.adapter_label(), info.driver, info.driver_info);
    let subject = Subject::new(reducer);
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .configure_from_args();
    bench(&mut criterion, &subject);
    criterion.final_summary();
}
