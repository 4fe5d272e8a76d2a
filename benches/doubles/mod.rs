//! Exact sums of `f64`, beside `sum` in the same run where the device has `f64`.

use super::{bench_in_flight, bench_ns, clock};
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use std::time::Duration;
use wgpu_reduce::{
    AdapterClass, ExactSum, ExactTuning, GpuBuffer, GpuReducer, Matrix, Operation, Pending, Sum,
    SumExact,
};
use wgpu_reduce_known::{Overflowing, agrees, mixed};

/// A kind of data: its name, and element `index` of it.
type Kind = (&'static str, fn(u64) -> f64);

/// Those of `f32` with as many more bits.
pub(super) const KINDS: [Kind; 5] = [
    ("uniform", uniform),
    ("normal", normal),
    ("spread", spread),
    ("bits", bits),
    ("half zeros", half_zeros),
];

/// log2 of the lengths.
const SIZES: [u32; 4] = [10, 20, 24, 27];

/// A CPU would take minutes for more.
const LARGEST_ON_CPU: u32 = 20;

/// log2 of the elements of matrices.
const ROWS: u32 = 24;

/// log2 of a matrix's columns, and the axis along which it is summed.
const SHAPES: [(u32, usize); 6] = [(24, 1), (16, 1), (10, 1), (5, 1), (10, 0), (4, 0)];

/// Longer ones are read for so long that it does not matter how they are started.
const LARGEST_ALONE: u32 = 24;

fn word(index: u64) -> u64 {
    u64::from(mixed(2 * index)) << 32 | u64::from(mixed(2 * index + 1))
}

#[expect(clippy::cast_precision_loss, reason = "53 bits")]
fn uniform(index: u64) -> f64 {
    (word(index) >> 11) as f64 / (1_u64 << 53) as f64
}

fn normal(index: u64) -> f64 {
    let (radius, angle) = (1.0 - uniform(2 * index), uniform(2 * index + 1));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

fn spread(index: u64) -> f64 {
    let exponent = word(2 * index) % 40;
    f64::from_bits((word(2 * index + 1) & 0x800F_FFFF_FFFF_FFFF) | ((1023 - 20 + exponent) << 52))
}

fn bits(index: u64) -> f64 {
    let number = f64::from_bits(word(index));
    if number.is_finite() { number } else { f64::from_bits(word(index) >> 2) }
}

fn half_zeros(index: u64) -> f64 {
    if index.is_multiple_of(2) { normal(index) } else { f64::from_bits(word(index) & (1 << 63)) }
}

/// Data of one kind, on the GPU.
pub(super) struct Doubles<'a> {
    reducer: &'a GpuReducer,
    name: &'static str,
    values: Vec<f64>,
    buffer: GpuBuffer<f64>,
}

impl<'a> Doubles<'a> {
    /// Takes lengths up to 2^`longest`.
    pub(super) fn new(reducer: &'a GpuReducer, (name, element): Kind, longest: u32) -> Self {
        let caps = reducer.caps();
        let is_cpu = caps.class == AdapterClass::Cpu;
        let most = if is_cpu { longest.min(LARGEST_ON_CPU) } else { longest };
        let sizes = SIZES.into_iter().filter(|&log| log <= most);
        let fits = sizes.filter(|log| 8_u64 << log <= caps.max_buffer_bytes).max();
        let values: Vec<f64> = (0..1 << fits.unwrap_or(0)).map(element).collect();
        let buffer = reducer.upload(&values).expect("the data fits");
        Self { reducer, name, values, buffer }
    }

    pub(super) fn has_times(&self) -> bool {
        let slice = self.buffer.slice(..1).expect("the length is available");
        let timed = self.reducer.reduce(SumExact, slice).timed().start().and_then(Pending::wait);
        timed.expect("it runs").gpu_ns.is_some()
    }

    fn sizes(&self) -> impl Iterator<Item = (u32, ExactSum<f64>)> + '_ {
        let fits = |log: &u32| 1 << log <= self.values.len();
        let sum = |log: u32| (log, self.values[..1 << log].iter().collect());
        SIZES.into_iter().filter(fits).map(sum)
    }

    /// Sums of rows and columns, beside plain ones where the device has `f64`. Panics on a wrong answer.
    pub(super) fn bench_rows(&self, criterion: &mut Criterion) {
        let log_len = ROWS.min(self.values.len().ilog2());
        let mut group = criterion.benchmark_group("exact/f64 rows");
        group.measurement_time(Duration::from_millis(100)).sampling_mode(SamplingMode::Flat);
        group.throughput(Throughput::Bytes(8 << log_len));
        for (log_columns, axis) in SHAPES {
            let columns = 1_usize << log_columns.min(log_len);
            let values = &self.values[..1 << log_len];
            let matrix = Matrix { rows: (values.len() / columns) as u64, columns: columns as u64 };
            let expected: Vec<f64> = if axis == 1 {
                values.chunks(columns).map(|row| ExactSum::from_iter(row).round()).collect()
            } else {
                let of_column = |column| values.iter().skip(column).step_by(columns);
                (0..columns)
                    .map(|column| of_column(column).collect::<ExactSum<f64>>().round())
                    .collect()
            };
            let slice = self.buffer.slice(..1_u64 << log_len).expect("the length is available");
            let output = self.reducer.upload(&vec![f64::NAN; expected.len()]);
            let output = output.expect("there is room");
            let shape = format!("{}x{columns}:{axis}", matrix.rows);
            clock::raise(self.reducer);
            if self.reducer.caps().f64 {
                let id = BenchmarkId::new(format!("sum of {}", self.name), &shape);
                let request = self.reducer.reduce(Sum, slice).along(matrix, axis).output(&output);
                bench_ns(&mut group, id, || request.clone().timed().start(), |()| ());
            }
            let request = self.reducer.reduce(SumExact, slice).along(matrix, axis).output(&output);
            let id = BenchmarkId::new(self.name, &shape);
            // Also where a filter leaves the bench out.
            request.clone().start().and_then(Pending::wait).expect("it runs");
            let check = || {
                let sums = output.download(self.reducer).expect("they can be read");
                let same = sums.iter().map(|sum| sum.to_bits());
                assert!(same.eq(expected.iter().map(|sum| sum.to_bits())), "{} {shape}", self.name);
            };
            check();
            bench_ns(&mut group, id, || request.clone().timed().start(), |()| ());
            check();
        }
        group.finish();
    }

    /// Runs that follow each other, and runs each of which is waited for before the next. Panics on a wrong answer.
    pub(super) fn bench(&self, criterion: &mut Criterion, tunings: &[ExactTuning], is_sweep: bool) {
        let name = if is_sweep { "exact/tunings/f64" } else { "exact/f64" };
        let mut group = criterion.benchmark_group(name);
        group.measurement_time(Duration::from_millis(100)).sampling_mode(SamplingMode::Flat);
        for (log_len, expected) in self.sizes() {
            group.throughput(Throughput::Bytes(8 << log_len));
            let slice = self.buffer.slice(..1_u64 << log_len).expect("the length is available");
            let size = format!("2^{log_len}");
            clock::raise(self.reducer);
            if self.reducer.caps().f64 {
                let plan = self.reducer.reduce(Sum, slice).plan().expect("it is planned");
                let bound = Sum.tolerance(&self.values[..1 << log_len], &plan.accuracy());
                let mut terms = Overflowing::double();
                self.values[..1 << log_len].iter().for_each(|&value| terms.add(value, 1.0));
                let check = |&sum: &f64| {
                    let is_near = agrees(sum, expected.round(), bound)
                        || !bound.is_finite() && terms.allows(sum, plan.accuracy().roundings);
                    assert!(is_near, "{} {size}: {sum:e} to {bound:e}", self.name);
                };
                let start = || self.reducer.reduce(Sum, slice).timed().start();
                let id = BenchmarkId::new(format!("sum of {}", self.name), &size);
                bench_ns(&mut group, id, start, check);
            }
            let default = [ExactTuning::for_doubles(&self.reducer.caps(), 1 << log_len)];
            for tuning in if is_sweep { tunings } else { &default } {
                let shown = if is_sweep { format!("{size}, {tuning}") } else { size.clone() };
                let start = || {
                    self.reducer.reduce(SumExact, slice).unrounded().tuned(*tuning).timed().start()
                };
                let check =
                    |sum: &ExactSum<f64>| assert_eq!(*sum, expected, "{} {shown}", self.name);
                bench_ns(&mut group, BenchmarkId::new(self.name, &shown), start, check);
                if !is_sweep && log_len <= LARGEST_ALONE {
                    let id = BenchmarkId::new(format!("{} alone", self.name), &shown);
                    bench_in_flight(&mut group, id, 1, start, check);
                }
            }
        }
        group.finish();
    }
}
