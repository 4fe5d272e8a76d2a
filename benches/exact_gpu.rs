//! Exact sums and dot products on the GPU, beside `sum` and `dot` in the same run; see `METHODOLOGY.md`.
//!
//! GPU times are of runs that follow each other, eight on their way before the first is waited for. `exact/rows` are
//! exact sums of many rows or columns. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter.
//! `exact/f64` are sums of `f64`, alone with `-- exact/f64`. `-- tunings` measures other tunings than the default, and nothing else;
//! `-- exact/alone` measures short sums of which each is waited for; `-- exact/dot` and `-- tunings/dot` are of dot products alone.

mod clock;
mod doubles;
mod kinds;

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, measurement::WallTime,
};
use doubles::Doubles;
use kinds::{KINDS, Kind};
use std::collections::VecDeque;
use std::time::Duration;
use wgpu_reduce::{
    AdapterClass, Dot, DotExact, ExactSum, ExactTuning, GpuBuffer, GpuReducer, GpuSlice, Matrix,
    Operation, PairOperation, Pending, Result, Sum, SumExact, Timed, View,
};
use wgpu_reduce_known::{Overflowing, agrees};

/// log2 of the lengths.
const SIZES: [u32; 3] = [10, 20, 28];

/// Where the indices of the elements begin that others are multiplied with.
const PARTNERS_FROM: u64 = 0x5555_5555;

/// A CPU would take minutes for more.
const LARGEST_ON_CPU: u32 = 20;

/// Longer ones are read for so long that it does not matter how they are started.
const LARGEST_ALONE: u32 = 20;

/// log2 of the elements of matrices, and of their columns; along which axis they are summed.
const MATRIX: u32 = 26;
const SHAPES: [(u32, usize); 4] = [(14, 1), (6, 1), (26, 1), (12, 0)];

/// Runs on their way before the first is waited for: a GPU that is waited for lowers its clock.
const IN_FLIGHT: usize = 8;

/// Data of one kind, on the GPU.
struct Subject<'a> {
    reducer: &'a GpuReducer,
    name: &'static str,
    values: Vec<f32>,
    buffer: GpuBuffer<f32>,
    /// As many elements of the same kind to multiply them with.
    partners: GpuBuffer<f32>,
    partner_values: Vec<f32>,
    /// Lengths, and the host's sums of so many.
    sums: Vec<(u32, ExactSum)>,
    /// Lengths, and the host's sums of so many products.
    dots: Vec<(u32, ExactSum)>,
}

/// One sum of several.
#[derive(Clone, Copy)]
struct Expected {
    exact: f32,
    real: f64,
    /// The sum of the elements' magnitudes, nearly.
    magnitudes: f64,
    terms: Overflowing,
}

/// How near a sum that rounds must be.
struct Rounded {
    real: f64,
    /// Without end where partial sums may overflow.
    bound: f64,
    terms: Overflowing,
    roundings: u64,
}

fn added<'a>(products: impl IntoIterator<Item = (&'a f32, &'a f32)>) -> Overflowing {
    let mut sum = Overflowing::single();
    products.into_iter().for_each(|(&a, &b)| sum.add(a.into(), b.into()));
    sum
}

impl<'a> Subject<'a> {
    /// Takes lengths up to 2^`longest`.
    fn new(reducer: &'a GpuReducer, (name, element): Kind, longest: u32) -> Self {
        let caps = reducer.caps();
        let is_cpu = caps.class == AdapterClass::Cpu;
        let most = if is_cpu { longest.min(LARGEST_ON_CPU) } else { longest };
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
        let [buffer, of_partners] =
            [&values, &partners].map(|values| reducer.upload(values).expect("the data fits"));
        Self {
            reducer,
            name,
            values,
            buffer,
            partners: of_partners,
            partner_values: partners,
            sums,
            dots,
        }
    }

    fn slice(&self, log_len: u32) -> GpuSlice<'_, f32> {
        self.buffer.slice(..1_u64 << log_len).expect("the length is available")
    }

    fn partner_slice(&self, log_len: u32) -> GpuSlice<'_, f32> {
        self.partners.slice(..1_u64 << log_len).expect("the length is available")
    }

    /// Panics on a wrong answer: a time for it would mean nothing.
    fn check(&self, value: &ExactSum, expected: &ExactSum, what: &str) {
        assert_eq!(value, expected, "{} {what}", self.name);
    }

    /// As `check`, for a sum that rounds, to the bound that its plan gives. Where partial sums may overflow it is what an
    /// order of additions makes it.
    fn check_rounded(&self, value: f32, expected: &Rounded, what: &str) {
        let &Rounded { real, bound, terms, roundings } = expected;
        let is_near = agrees(value.into(), real, bound)
            || !bound.is_finite() && terms.allows(value.into(), roundings);
        assert!(is_near, "{} {what}: {value:e} is not {real:e} to {bound:e}", self.name);
    }

    fn has_times(&self) -> bool {
        let timed = self.reducer.reduce(Sum, self.slice(0)).timed().start().and_then(Pending::wait);
        timed.expect("it runs").gpu_ns.is_some()
    }

    fn bench_gpu(&self, criterion: &mut Criterion, tunings: &[ExactTuning], is_sweep: bool) {
        let mut group =
            criterion.benchmark_group(if is_sweep { "exact/tunings" } else { "exact/gpu" });
        // Criterion counts GPU time alone; the calls around it take several times that.
        group.measurement_time(Duration::from_millis(100)).sampling_mode(SamplingMode::Flat);
        for (log_len, expected) in &self.sums {
            group.throughput(Throughput::Bytes(4 << log_len));
            let size = format!("2^{log_len}");
            let sum = BenchmarkId::new(format!("sum of {}", self.name), &size);
            let start = || self.reducer.reduce(Sum, self.slice(*log_len)).timed().start();
            let plan =
                self.reducer.reduce(Sum, self.slice(*log_len)).plan().expect("it is planned");
            let (values, accuracy) = (&self.values[..1 << log_len], plan.accuracy());
            let rounded = Rounded {
                real: expected.round_f64(),
                bound: Sum.tolerance(values, &accuracy),
                terms: added(values.iter().map(|value| (value, &1.0))),
                roundings: accuracy.roundings,
            };
            clock::raise(self.reducer);
            bench_ns(&mut group, sum, start, |&value| {
                self.check_rounded(value, &rounded, &size);
            });
            let default = [ExactTuning::for_len(&self.reducer.caps(), 1 << log_len)];
            for tuning in if is_sweep { tunings } else { &default } {
                let shown = if is_sweep { format!("{size}, {tuning}") } else { size.clone() };
                let start = || {
                    self.reducer
                        .reduce(SumExact, self.slice(*log_len))
                        .unrounded()
                        .tuned(*tuning)
                        .timed()
                        .start()
                };
                let id = BenchmarkId::new(self.name, &shown);
                bench_ns(&mut group, id, start, |value| self.check(value, expected, &shown));
            }
        }
        group.finish();
    }

    /// Runs each of which is waited for before the next, as CUB is timed where its launch counts.
    fn bench_alone(&self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group("exact/alone");
        group.measurement_time(Duration::from_millis(100)).sampling_mode(SamplingMode::Flat);
        for (log_len, expected) in &self.sums {
            group.throughput(Throughput::Bytes(4 << log_len));
            let size = format!("2^{log_len}");
            let tuning = ExactTuning::for_len(&self.reducer.caps(), 1 << log_len);
            let start = || {
                self.reducer
                    .reduce(SumExact, self.slice(*log_len))
                    .unrounded()
                    .tuned(tuning)
                    .timed()
                    .start()
            };
            let id = BenchmarkId::new(self.name, &size);
            clock::raise(self.reducer);
            bench_in_flight(&mut group, id, 1, start, |value| self.check(value, expected, &size));
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
            let pair = || (self.slice(*log_len), self.partner_slice(*log_len));
            let dot = BenchmarkId::new(format!("dot of {}", self.name), &size);
            let start = || self.reducer.reduce(Dot, (pair().0, pair().1)).timed().start();
            let plan =
                self.reducer.reduce(Dot, (pair().0, pair().1)).plan().expect("it is planned");
            let (values, accuracy) = (&self.values[..1 << log_len], plan.accuracy());
            let partners = &self.partner_values[..1 << log_len];
            let rounded = Rounded {
                real: expected.round_f64(),
                bound: Dot.tolerance(values, partners, &accuracy),
                terms: added(values.iter().zip(partners)),
                roundings: accuracy.roundings,
            };
            clock::raise(self.reducer);
            bench_ns(&mut group, dot, start, |&value| {
                self.check_rounded(value, &rounded, &format!("dot product of {size}"));
            });
            let default = [ExactTuning::for_pairs(&self.reducer.caps(), 1 << log_len)];
            for tuning in if is_sweep { tunings } else { &default } {
                let shown = if is_sweep { format!("{size}, {tuning}") } else { size.clone() };
                let (a, b) = pair();
                let start = || {
                    self.reducer.reduce(DotExact, (a, b)).unrounded().tuned(*tuning).timed().start()
                };
                let id = BenchmarkId::new(self.name, &shown);
                bench_ns(&mut group, id, start, |value| self.check(value, expected, &shown));
            }
        }
        group.finish();
    }

    /// Sums of rows and columns beside exact ones.
    fn bench_rows(&self, criterion: &mut Criterion) {
        let log_len = MATRIX.min(self.buffer.len().ilog2());
        let mut group = criterion.benchmark_group("exact/rows");
        group.measurement_time(Duration::from_millis(100)).sampling_mode(SamplingMode::Flat);
        group.throughput(Throughput::Bytes(4 << log_len));
        for (log_columns, axis) in SHAPES {
            let columns = 1_u64 << log_columns.min(log_len);
            let matrix = Matrix { rows: (1 << log_len) / columns, columns };
            let shape = format!("{}x{columns}:{axis}", matrix.rows);
            let expected = self.sums_along(matrix, axis);
            clock::raise(self.reducer);
            let plan = self
                .reducer
                .reduce(Sum, self.slice(log_len))
                .along(View::from(matrix), axis)
                .plan();
            let accuracy = plan.expect("it is planned").accuracy();
            let sum = BenchmarkId::new(format!("sum of {}", self.name), &shape);
            self.bench_axis(&mut group, sum, Sum, (matrix, axis), |at, sum| {
                let Expected { real, magnitudes, terms, .. } = expected[at];
                let may_overflow = magnitudes >= f64::from(f32::MAX);
                let bound =
                    if may_overflow { f64::INFINITY } else { accuracy.error_bound(magnitudes) };
                let rounded = Rounded { real, bound, terms, roundings: accuracy.roundings };
                self.check_rounded(sum, &rounded, &format!("{shape}, sum {at}"));
            });
            let exact = BenchmarkId::new(self.name, &shape);
            self.bench_axis(&mut group, exact, SumExact, (matrix, axis), |at, sum| {
                let expected = expected[at].exact;
                assert_eq!(sum.to_bits(), expected.to_bits(), "{} {shape}, sum {at}", self.name);
            });
        }
        group.finish();
    }

    /// Times an operation along an axis, of which every result is checked.
    fn bench_axis<O: Operation<f32, Raw = f32>>(
        &self,
        group: &mut BenchmarkGroup<'_, WallTime>,
        id: BenchmarkId,
        operation: O,
        (matrix, axis): (Matrix, usize),
        check: impl Fn(usize, f32),
    ) {
        let (reducer, log_len) = (self.reducer, (matrix.rows * matrix.columns).ilog2());
        let results = if axis == 1 { matrix.rows } else { matrix.columns };
        let output = reducer.upload(&vec![f32::NAN; usize::try_from(results).expect("it fits")]);
        let output = output.expect("there is room");
        let start = || {
            let input = self.slice(log_len);
            reducer.reduce(operation, input).along(matrix, axis).output(&output).timed().start()
        };
        start().and_then(Pending::wait).expect("it runs");
        let check_all = || {
            let sums = output.download(reducer).expect("they can be read");
            sums.into_iter().enumerate().for_each(|(at, sum)| check(at, sum));
        };
        check_all();
        bench_ns(group, id, start, |()| ());
        // What the last of those that were timed has left.
        check_all();
    }

    /// What the sums of rows or columns are.
    fn sums_along(&self, matrix: Matrix, axis: usize) -> Vec<Expected> {
        let [rows, columns] =
            [matrix.rows, matrix.columns].map(|n| usize::try_from(n).expect("it fits"));
        let none = (ExactSum::new(), 0.0, Overflowing::single());
        let mut sums = vec![none; if axis == 1 { rows } else { columns }];
        for (row, values) in self.values.chunks(columns).take(rows).enumerate() {
            if axis == 1 {
                sums[row].0.add_slice(values);
                sums[row].1 = values.iter().map(|&value| f64::from(value).abs()).sum();
                sums[row].2 = added(values.iter().map(|value| (value, &1.0)));
                continue;
            }
            for ((sum, magnitudes, terms), &value) in sums.iter_mut().zip(values) {
                sum.add(value);
                *magnitudes += f64::from(value).abs();
                terms.add(value.into(), 1.0);
            }
        }
        let expected = |(sum, magnitudes, terms): (ExactSum, f64, Overflowing)| Expected {
            exact: sum.round(),
            real: sum.round_f64(),
            magnitudes,
            terms,
        };
        sums.into_iter().map(expected).collect()
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

/// Times what `start` starts, as the device tells it, and lets `check` see every value.
fn bench_ns<R>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    start: impl Fn() -> Result<Pending<Timed<R>>>,
    check: impl Fn(&R),
) {
    bench_in_flight(group, id, IN_FLIGHT, start, check);
}

/// As `bench_ns`, with so many runs on their way at once.
fn bench_in_flight<R>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    most: usize,
    start: impl Fn() -> Result<Pending<Timed<R>>>,
    check: impl Fn(&R),
) {
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|iterations| {
            let (mut in_flight, mut ns) = (VecDeque::new(), 0.0);
            let mut left = iterations;
            while left > 0 || !in_flight.is_empty() {
                while left > 0 && in_flight.len() < most {
                    in_flight.push_back(start().expect("it starts"));
                    left -= 1;
                }
                let pending: Pending<Timed<R>> = in_flight.pop_front().expect("there is one");
                let timed = pending.wait().expect("it runs");
                check(&timed.value);
                ns += timed.gpu_ns.expect("the device tells times");
            }
            Duration::from_secs_f64(ns * 1e-9)
        });
    });
}

/// What is tried instead of the default.
fn tunings(reducer: &GpuReducer) -> Vec<ExactTuning> {
    let caps = reducer.caps();
    let default = ExactTuning::for_len(&reducer.caps(), 1 << 28);
    let mut tunings = Vec::new();
    for (workgroup_size, max_workgroups) in [
        (256, 256),
        (256, 528),
        (256, 1000),
        (512, 128),
        (512, 264),
        (512, 528),
        (1024, 132),
        (1024, 264),
    ] {
        for loads_in_flight in [1, 2, 4, 8] {
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
        let (sum, dot) = (
            ExactTuning::for_len(&reducer.caps(), 1 << log_len),
            ExactTuning::for_pairs(&reducer.caps(), 1 << log_len),
        );
        println!("tuning at 2^{log_len}: {sum}; of dot products: {dot}");
    }
    let is_alone = std::env::args().any(|argument| argument == "exact/alone");
    let longest = if is_alone { LARGEST_ALONE } else { u32::MAX };
    let is_sweep = std::env::args().any(|argument| argument.contains("tunings"));
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .configure_from_args();
    let is_of_f64 = std::env::args().any(|argument| argument.contains("f64"));
    for kind in KINDS.into_iter().filter(|_| !is_of_f64) {
        let subject = Subject::new(&reducer, kind, longest);
        if subject.has_times() {
            subject.bench_alone(&mut criterion);
            let tunings = tunings(&reducer);
            subject.bench_gpu(&mut criterion, &tunings, is_sweep);
            subject.bench_dot(&mut criterion, &tunings, is_sweep);
            if !is_sweep {
                subject.bench_rows(&mut criterion);
            }
        } else {
            println!("no timestamps on this adapter: GPU time is left out");
        }
        if !is_sweep {
            subject.bench_call(&mut criterion);
        }
    }
    for kind in doubles::KINDS {
        let doubles = Doubles::new(&reducer, kind, longest);
        if doubles.has_times() {
            let mut tunings = tunings(&reducer);
            tunings.retain(|tuning| tuning.loads_in_flight <= 8);
            doubles.bench(&mut criterion, &tunings, is_sweep);
            if !is_sweep {
                doubles.bench_rows(&mut criterion);
            }
        }
    }
    criterion.final_summary();
    Ok(())
}
