//! Custom operators on the GPU, beside `wrapping_sum` of the same words in the same run; see
//! `METHODOLOGY.md`.
//!
//! `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter. `cargo bench --bench custom -- tunings` measures
//! other tunings than the default, and nothing else.

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, measurement::WallTime,
};
use std::time::Duration;
use wgpu_reduce::{
    AdapterClass, Combining, CustomOp, GpuBuffer, GpuReducer, Pending, Result, Tuning, WrappingSum,
};

/// log2 of the lengths.
const SIZES: [u32; 4] = [10, 20, 24, 28];

/// A CPU would take minutes for more.
const LARGEST_ON_CPU: u32 = 20;

const ADD: &str = "
    fn map(element: u32, index: u32) -> u32 { return element; }
    fn combine(left: u32, right: u32) -> u32 { return left + right; }";

/// x ↦ 5·x + element, composed: every element counts, and its place.
const COMPOSE: &str = "
    fn map(element: u32, index: u32) -> vec2<u32> { return vec2<u32>(5u, element); }
    fn combine(left: vec2<u32>, right: vec2<u32>) -> vec2<u32> {
        return vec2<u32>(left.x * right.x, left.y * right.x + right.y);
    }
    fn finish(total: vec2<u32>) -> u32 { return total.y; }";

const MAX_DIFFERENCE: &str = "
    fn map(a: u32, b: u32, index: u32) -> u32 { return max(a, b) - min(a, b); }
    fn combine(left: u32, right: u32) -> u32 { return max(left, right); }";

/// Words on the GPU and on the host, and the operators.
struct Subject {
    reducer: GpuReducer,
    words: Vec<u32>,
    buffer: GpuBuffer<u32>,
    partners: GpuBuffer<u32>,
    add: CustomOp<u32, u32>,
    compose: CustomOp<u32, [u32; 2], u32>,
    max_difference: CustomOp<(u32, u32), u32>,
}

/// What a word is paired with.
fn partner(word: u32) -> u32 {
    word.rotate_left(9)
}

impl Subject {
    fn new(reducer: &GpuReducer, log_len: u32) -> Result<Self> {
        let words: Vec<_> = (0..1_u32 << log_len).map(|k| k.wrapping_mul(0x9E37_79B9)).collect();
        let partners: Vec<_> = words.iter().map(|&word| partner(word)).collect();
        Ok(Self {
            reducer: reducer.clone(),
            buffer: reducer.upload(&words)?,
            partners: reducer.upload(&partners)?,
            words,
            add: CustomOp::new(ADD, 0)?,
            compose: CustomOp::new(COMPOSE, [1, 0])?,
            max_difference: CustomOp::new(MAX_DIFFERENCE, 0)?,
        })
    }

    /// Times all operators under this tuning, or the default. Panics on a wrong answer: a time for it
    /// would mean nothing.
    fn bench(&self, group: &mut BenchmarkGroup<'_, WallTime>, what: &str, tuning: Option<Tuning>) {
        let reducer =
            tuning.map_or_else(|| self.reducer.clone(), |tuning| self.reducer.with_tuning(tuning));
        let words = self.words.iter().copied();
        let sum = words.clone().fold(0, u32::wrapping_add);
        let composed = words.clone().fold(0, |x: u32, word| x.wrapping_mul(5).wrapping_add(word));
        let largest = words.map(|word| word.abs_diff(partner(word))).max().unwrap_or(0);
        let bytes = self.words.len() as u64 * 4;
        group.throughput(Throughput::Bytes(bytes));
        if tuning.is_none() {
            bench_ns(group, BenchmarkId::new("wrapping_sum", what), sum, || {
                reducer.reduce(WrappingSum, &self.buffer).timed().start().and_then(Pending::wait)
            });
        }
        bench_ns(group, BenchmarkId::new("add", what), sum, || {
            reducer.reduce(&self.add, &self.buffer).timed().start().and_then(Pending::wait)
        });
        bench_ns(group, BenchmarkId::new("compose", what), composed, || {
            reducer.reduce(&self.compose, &self.buffer).timed().start().and_then(Pending::wait)
        });
        group.throughput(Throughput::Bytes(2 * bytes));
        bench_ns(group, BenchmarkId::new("largest difference of two", what), largest, || {
            let pair = (&self.buffer, &self.partners);
            reducer.reduce(&self.max_difference, pair).timed().start().and_then(Pending::wait)
        });
    }
}

fn bench_ns(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    expected: u32,
    run: impl Fn() -> Result<wgpu_reduce::Timed<u32>>,
) {
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|iterations| {
            let run_ns = |_| {
                let timed = run().expect("it runs");
                assert_eq!(timed.value, expected, "the answer is wrong");
                timed.gpu_ns.expect("the device tells times")
            };
            Duration::from_secs_f64((0..iterations).map(run_ns).sum::<f64>() * 1e-9)
        });
    });
}

/// What is tried instead of the default.
fn tunings(reducer: &GpuReducer) -> Vec<Tuning> {
    let mut tunings = Vec::new();
    for workgroup_size in [64, 128, 256, 512, 1024] {
        for invocations in [132 << 10, 264 << 10, 528 << 10] {
            for loads_in_flight in [1, 2, 4, 8] {
                tunings.push(Tuning {
                    workgroup_size,
                    max_workgroups: invocations / workgroup_size,
                    loads_in_flight,
                    min_quads_per_invocation: loads_in_flight,
                    max_partials_per_workgroup: 16_384,
                    combining: Combining::Passes,
                });
            }
        }
    }
    tunings.retain(|tuning| tuning.workgroup_size <= reducer.caps().max_workgroup_size);
    tunings
}

fn main() -> Result<()> {
    env_logger::init();
    let reducer = GpuReducer::new()?;
    let info = reducer.adapter_info();
    println!("adapter: {}, driver {} {}", reducer.adapter_label(), info.driver, info.driver_info);
    let is_sweep = std::env::args().any(|argument| argument.contains("tunings"));
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .configure_from_args();
    let on_cpu = reducer.caps().class == AdapterClass::Cpu;
    for log_len in SIZES.into_iter().filter(|&log_len| !on_cpu || log_len <= LARGEST_ON_CPU) {
        let subject = Subject::new(&reducer, log_len)?;
        let plan = reducer.reduce(&subject.compose, &subject.buffer).plan()?;
        println!("tuning at 2^{log_len}: {}", plan.tuning);
        let name = if is_sweep { "custom/tunings" } else { "custom/gpu" };
        let mut group = criterion.benchmark_group(name);
        // Criterion counts GPU time alone; the calls around it take several times that.
        group.measurement_time(Duration::from_millis(100)).sampling_mode(SamplingMode::Flat);
        let size = format!("2^{log_len}");
        if is_sweep {
            for tuning in tunings(&reducer) {
                subject.bench(&mut group, &format!("{size}, {tuning}"), Some(tuning));
            }
        } else {
            subject.bench(&mut group, &size, None);
        }
        group.finish();
    }
    criterion.final_summary();
    Ok(())
}
