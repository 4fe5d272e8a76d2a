//! `sum` and `wrapping_sum` in GPU time and as the caller sees it; see `METHODOLOGY.md`.
//!
//! `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter.

mod clock;

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, measurement::WallTime,
};
use std::time::Duration;
use wgpu_reduce::{
    AdapterClass, Element, ElementKind, GpuBuffer, GpuReducer, GpuSlice, Operation, Pending, Plan,
    Sum, WrappingSum,
};
use wgpu_reduce_known::{hash, is_near, uniform};

/// log2 of the lengths.
const SIZES: [u32; 11] = [10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 29];

/// An element type with data to sum.
trait BenchElement: Element {
    /// Element `index`.
    fn element(index: u64) -> Self;
}

impl BenchElement for f32 {
    fn element(index: u64) -> Self {
        uniform(hash(index))
    }
}

impl BenchElement for i32 {
    fn element(index: u64) -> Self {
        hash(index).cast_signed()
    }
}

impl BenchElement for u32 {
    fn element(index: u64) -> Self {
        hash(index)
    }
}

/// Whether a result is right, given the CPU's and the plan it came from.
trait Agrees: Copy + std::fmt::Debug {
    fn agrees(self, expected: Self, plan: &Plan) -> bool;
}

impl Agrees for f32 {
    fn agrees(self, expected: Self, plan: &Plan) -> bool {
        // No element is negative: the sum is that of the magnitudes, but for its own rounding.
        let expected = f64::from(expected);
        is_near(self, expected, plan.accuracy().error_bound(expected))
    }
}

macro_rules! exact {
    ($($integer:ty),*) => {$(
        impl Agrees for $integer {
            fn agrees(self, expected: Self, _: &Plan) -> bool {
                self == expected
            }
        }
    )*};
}
exact!(i32, u32, i64, u64);

struct Subject<'a, T: Element, O> {
    operation: O,
    reducer: &'a GpuReducer,
    buffer: GpuBuffer<T>,
    values: Vec<T>,
}

impl<T: BenchElement, O: Operation<T, Output: Agrees>> Subject<'_, T, O> {
    /// Panics on a wrong answer: a time for it would mean nothing.
    fn check(&self, log_len: u32) {
        let slice = self.buffer.slice(..1_u64 << log_len).expect("the length is available");
        let plan = self.reducer.reduce(self.operation, slice).plan().expect("it has a plan");
        let result = self.call(slice);
        let expected = self.operation.on_cpu(&self.values[..1 << log_len]).expect("it has one");
        assert!(result.agrees(expected, &plan), "2^{log_len}: {result:?} is not {expected:?}");
    }

    fn call(&self, slice: GpuSlice<'_, T>) -> O::Output {
        self.reducer.reduce(self.operation, slice).start().and_then(Pending::wait).expect("it runs")
    }

    /// Nanoseconds of GPU time, where the device tells them.
    fn gpu_ns(&self, slice: GpuSlice<'_, T>) -> Option<f64> {
        let timed =
            self.reducer.reduce(self.operation, slice).timed().start().and_then(Pending::wait);
        timed.expect("it runs").gpu_ns
    }

    fn bench_gpu(&self, group: &mut BenchmarkGroup<'_, WallTime>, log_len: u32) {
        let slice = self.buffer.slice(..1_u64 << log_len).expect("the length is available");
        clock::raise(self.reducer);
        group.bench_function(id::<T>(log_len), |bencher| {
            bencher.iter_custom(|iterations| {
                let nanoseconds: f64 = (0..iterations)
                    .map(|_| self.gpu_ns(slice).expect("the device tells times"))
                    .sum();
                Duration::from_secs_f64(nanoseconds * 1e-9)
            });
        });
    }

    fn bench_call(&self, group: &mut BenchmarkGroup<'_, WallTime>, log_len: u32) {
        let slice = self.buffer.slice(..1_u64 << log_len).expect("the length is available");
        clock::raise(self.reducer);
        group.bench_function(id::<T>(log_len), |bencher| {
            bencher.iter(|| self.call(slice));
        });
    }
}

fn id<T: Element>(log_len: u32) -> BenchmarkId {
    BenchmarkId::new(T::KIND.name(), format!("2^{log_len}"))
}

fn bench<T: BenchElement, O: Operation<T, Output: Agrees>>(
    criterion: &mut Criterion,
    reducer: &GpuReducer,
    operation: O,
) {
    let caps = reducer.caps();
    let most = if caps.class == AdapterClass::Gpu { 29 } else { 26 };
    let fits = |log_len: &u32| {
        *log_len <= most && (T::KIND.size_bytes() << log_len) <= caps.max_buffer_bytes
    };
    let sizes: Vec<u32> = SIZES.into_iter().filter(fits).collect();
    let Some(largest) = sizes.last() else { return };
    let values: Vec<T> = (0..1_u64 << largest).map(T::element).collect();
    let buffer = reducer.upload(&values).expect("the data fits");
    let subject = Subject { operation, reducer, buffer, values };
    let group = |timed: &str| format!("{}/{timed}", operation.record().name());
    for &log_len in &sizes {
        subject.check(log_len);
    }

    if subject.gpu_ns((&subject.buffer).into()).is_some() {
        in_group(criterion, &group("gpu"), &sizes, T::KIND.size_bytes(), |group, log_len| {
            // Criterion counts GPU time alone; the calls around it take several times that.
            group.measurement_time(Duration::from_millis(100)).sampling_mode(SamplingMode::Flat);
            subject.bench_gpu(group, log_len);
        });
    } else {
        println!("no timestamps on this adapter: GPU time is left out");
    }
    in_group(criterion, &group("call"), &sizes, T::KIND.size_bytes(), |group, log_len| {
        subject.bench_call(group, log_len);
    });
}

fn in_group(
    criterion: &mut Criterion,
    name: &str,
    sizes: &[u32],
    element_bytes: u64,
    bench: impl Fn(&mut BenchmarkGroup<'_, WallTime>, u32),
) {
    let mut group = criterion.benchmark_group(name);
    for &log_len in sizes {
        group.throughput(Throughput::Bytes(element_bytes << log_len));
        bench(&mut group, log_len);
    }
    group.finish();
}

fn main() {
    env_logger::init();
    let reducer = GpuReducer::new().expect("an adapter is needed");
    let info = reducer.adapter_info();
    println!("adapter: {}, driver {} {}", reducer.adapter_label(), info.driver, info.driver_info);
    for (element, log_len) in ElementKind::ALL.into_iter().flat_map(|e| SIZES.map(|n| (e, n))) {
        let tuning = reducer.tuning(Operation::<f32>::record(&Sum), element, 1 << log_len);
        println!("tuning of {element} at 2^{log_len}: {tuning}");
    }
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .configure_from_args();
    bench::<f32, _>(&mut criterion, &reducer, Sum);
    bench::<i32, _>(&mut criterion, &reducer, Sum);
    bench::<u32, _>(&mut criterion, &reducer, Sum);
    bench::<i32, _>(&mut criterion, &reducer, WrappingSum);
    bench::<u32, _>(&mut criterion, &reducer, WrappingSum);
    criterion.final_summary();
}
