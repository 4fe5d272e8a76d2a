//! Exact sums and dot products on the GPU, beside `sum` and `dot` in the same run; see `METHODOLOGY.md`.
//!
//! `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter. `cargo bench --bench exact_gpu -- tunings`
//! measures other tunings than the default, and nothing else; `-- exact/dot` and `-- tunings/dot` are of dot
//! products alone.

mod kinds;

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, measurement::WallTime,
};
use kinds::{KINDS, Kind};
use std::time::Duration;
use wgpu_reduce::{
    AdapterClass, Dot, ExactSum, ExactTuning, GpuBuffer, GpuReducer, GpuSlice, Pending, Result,
    Sum, Timed,
};

/// log2 of the lengths.
const SIZES: [u32; 3] = [10, 20, 28];

/// Where the indices of the elements begin that others are multiplied with.
const PARTNERS_FROM: u64 = 0x5555_5555;

/// A CPU would take minutes for more.
const LARGEST_ON_CPU: u32 = 20;

/// Data of one kind, on the GPU.
struct Subject<'a> {
    reducer: &'a GpuReducer,
    name: &'static str,
    buffer: GpuBuffer<f32>,
    /// As many elements of the same kind to multiply them with.
    partners: GpuBuffer<f32>,
    /// Lengths, and the host's sums of so many.
    sums: Vec<(u32, ExactSum)>,
    /// The same of the products.
    dots: Vec<(u32, ExactSum)>,
}

impl<'a> Subject<'a> {
    fn new(reducer: &'a GpuReducer, (name, element): Kind) -> Self {
        let caps = reducer.caps();
        let most = if caps.class == AdapterClass::Cpu { LARGEST_ON_CPU } else { u32::MAX };
        let fits = |log: u32| log <= most && 4_u64 << log <= caps.max_buffer_bytes;
        let sizes = SIZES.into_iter().filter(|&log| fits(log));
        let values: Vec<f32> = (0..1 << sizes.clone().max().unwrap_or(0)).map(element).collect();
        let partners: Vec<f32> =
            (0..values.len() as u64).map(|index| element(index + PARTNERS_FROM)).collect();
        let sums = sizes.clone().map(|log| (log, values[..1 << log].iter().collect())).collect();
        let dot = |log: u32| {
            let mut dot = ExactSum::new();
            dot.add_products(&values[..1 << log], &partners[..1 << log]).expect("they pair");
            (log, dot)
        };
        let dots = sizes.map(dot).collect();
        let [buffer, partners] =
            [&values, &partners].map(|values| reducer.upload(values).expect("the data fits"));
        Self { reducer, name, buffer, partners, sums, dots }
    }

    fn slice(&self, log_len: u32) -> GpuSlice<'_, f32> {
        self.buffer.slice(..1_u64 << log_len).expect("the length is available")
    }

    fn partner_slice(&self, log_len: u32) -> GpuSlice<'_, f32> {
        self.partners.slice(..1_u64 << log_len).expect("the length is available")
    }

    /// Nanoseconds of GPU time, where the device tells them. Panics on a wrong answer: a time for it
    /// would mean nothing.
    fn exact_ns(&self, log_len: u32, expected: &ExactSum, tuning: &ExactTuning) -> Option<f64> {
        let pending = self.reducer.reduce_exact_with(tuning, self.slice(log_len));
        self.checked_ns(pending, expected, &format!("2^{log_len}, {tuning}"))
    }

    /// The same of the dot product.
    fn exact_dot_ns(&self, log_len: u32, expected: &ExactSum, tuning: &ExactTuning) -> Option<f64> {
        let (a, b) = (self.slice(log_len), self.partner_slice(log_len));
        let pending = self.reducer.reduce_pair_exact_with(tuning, a, b);
        self.checked_ns(pending, expected, &format!("dot of 2^{log_len}, {tuning}"))
    }

    fn checked_ns(
        &self,
        pending: Result<Pending<Timed<ExactSum>>>,
        expected: &ExactSum,
        what: &str,
    ) -> Option<f64> {
        let timed = pending.and_then(Pending::wait).expect("it runs");
        assert_eq!(&timed.value, expected, "{} {what}", self.name);
        timed.gpu_ns
    }

    /// Nanoseconds that `dot` takes.
    fn dot_ns(&self, log_len: u32) -> Option<f64> {
        let (a, b) = (self.slice(log_len), self.partner_slice(log_len));
        let timed = self.reducer.reduce_pair_timed(Dot, a, b).and_then(Pending::wait);
        timed.expect("it runs").gpu_ns
    }

    /// Nanoseconds that `sum` takes.
    fn sum_ns(&self, log_len: u32) -> Option<f64> {
        let timed = self.reducer.reduce_timed(Sum, self.slice(log_len)).and_then(Pending::wait);
        timed.expect("it runs").gpu_ns
    }

    fn bench_gpu(&self, criterion: &mut Criterion, tunings: &[ExactTuning], is_sweep: bool) {
        let mut group =
            criterion.benchmark_group(if is_sweep { "exact/tunings" } else { "exact/gpu" });
        // Criterion counts GPU time alone; the calls around it take several times that.
        group.measurement_time(Duration::from_millis(100)).sampling_mode(SamplingMode::Flat);
        for (log_len, expected) in &self.sums {
            group.throughput(Throughput::Bytes(4 << log_len));
            let size = format!("2^{log_len}");
            bench_ns(&mut group, BenchmarkId::new(format!("sum of {}", self.name), &size), || {
                self.sum_ns(*log_len)
            });
            let default = [self.reducer.exact_tuning(1 << log_len)];
            for tuning in if is_sweep { tunings } else { &default } {
                let shown = if is_sweep { format!("{size}, {tuning}") } else { size.clone() };
                bench_ns(&mut group, BenchmarkId::new(self.name, shown), || {
                    self.exact_ns(*log_len, expected, tuning)
                });
            }
        }
        group.finish();
    }

    fn bench_dot(&self, criterion: &mut Criterion, tunings: &[ExactTuning], is_sweep: bool) {
        let name = if is_sweep { "exact/tunings/dot" } else { "exact/dot" };
        let mut group = criterion.benchmark_group(name);
        group.measurement_time(Duration::from_millis(100)).sampling_mode(SamplingMode::Flat);
        for (log_len, expected) in &self.dots {
            group.throughput(Throughput::Bytes(8 << log_len));
            let size = format!("2^{log_len}");
            bench_ns(&mut group, BenchmarkId::new(format!("dot of {}", self.name), &size), || {
                self.dot_ns(*log_len)
            });
            let default = [self.reducer.exact_pair_tuning(1 << log_len)];
            for tuning in if is_sweep { tunings } else { &default } {
                let shown = if is_sweep { format!("{size}, {tuning}") } else { size.clone() };
                bench_ns(&mut group, BenchmarkId::new(self.name, shown), || {
                    self.exact_dot_ns(*log_len, expected, tuning)
                });
            }
        }
        group.finish();
    }

    fn bench_call(&self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group("exact/call");
        for (log_len, expected) in &self.sums {
            let slice = self.slice(*log_len);
            let call = || self.reducer.sum_exact(slice).expect("it runs");
            assert_eq!(call().to_bits(), expected.round().to_bits(), "{} 2^{log_len}", self.name);
            group.throughput(Throughput::Bytes(4 << log_len));
            let id = BenchmarkId::new(self.name, format!("2^{log_len}"));
            group.bench_function(id, |bencher| bencher.iter(call));
        }
        group.finish();
    }
}

fn bench_ns(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    run_ns: impl Fn() -> Option<f64>,
) {
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|iterations| {
            let runs = (0..iterations).map(|_| run_ns().expect("the device tells times"));
            Duration::from_secs_f64(runs.sum::<f64>() * 1e-9)
        });
    });
}

/// What is tried instead of the default.
fn tunings(reducer: &GpuReducer) -> Vec<ExactTuning> {
    let caps = reducer.caps();
    let default = reducer.exact_tuning(1 << 28);
    let mut tunings = Vec::new();
    for (workgroup_size, max_workgroups) in
        [(256, 264), (256, 528), (256, 1000), (512, 264), (512, 528), (1024, 132), (1024, 264)]
    {
        for loads_in_flight in [2, 4, 8] {
            let min_quads_per_invocation = loads_in_flight;
            tunings.push(ExactTuning {
                workgroup_size,
                max_workgroups,
                loads_in_flight,
                min_quads_per_invocation,
                ..default
            });
        }
    }
    tunings.extend([0, 1, 7].map(|margin| ExactTuning { margin, ..default }));
    tunings.retain(|tuning| tuning.workgroup_size <= caps.max_workgroup_size);
    tunings
}

fn main() -> Result<()> {
    env_logger::init();
    let reducer = GpuReducer::new()?;
    let info = reducer.adapter_info();
    println!("adapter: {}, driver {} {}", reducer.adapter_label(), info.driver, info.driver_info);
    for log_len in SIZES {
        let (sum, dot) =
            (reducer.exact_tuning(1 << log_len), reducer.exact_pair_tuning(1 << log_len));
        println!("tuning at 2^{log_len}: {sum}; of dot products: {dot}");
    }
    let is_sweep = std::env::args().any(|argument| argument.contains("tunings"));
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .configure_from_args();
    for kind in KINDS {
        let subject = Subject::new(&reducer, kind);
        if subject.sum_ns(0).is_some() {
            let tunings = tunings(&reducer);
            subject.bench_gpu(&mut criterion, &tunings, is_sweep);
            subject.bench_dot(&mut criterion, &tunings, is_sweep);
        } else {
            println!("no timestamps on this adapter: GPU time is left out");
        }
        if !is_sweep {
            subject.bench_call(&mut criterion);
        }
    }
    criterion.final_summary();
    Ok(())
}
