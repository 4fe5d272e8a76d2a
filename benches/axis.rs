//! Sums of `f32` along an axis, for all shapes of one size; see `METHODOLOGY.md`.
//!
//! `cargo bench --bench axis -- [LOG2_OF_ELEMENTS, 26] [REPETITIONS, 21] [ROWSxCOLUMNS:AXIS ...] [TUNING ...]`
//! prints CSV, a line for each shape and tuning: medians of microseconds of GPU time, bytes read and written,
//! 10^9 of them in a second, and how far runs differ (what lies between the quartiles, in percent of the median). Without shapes they are all powers of two by powers of two, along both axes;
//! without tunings it is the default. A tuning is `WORKGROUP_SIZE,INVOCATIONS,MAX_WORKGROUPS,LOADS_IN_FLIGHT,
//! ROWS_IN_FLIGHT,SHORT_TEAM`, as `256,262144,8448,8,4,32`. Results stay on the GPU while it is timed; those of
//! the last run are compared with sums in `f64` on the host. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose
//! the adapter. What `cargo test` runs is small.

use std::collections::VecDeque;
use std::time::{Duration, Instant};
use wgpu_reduce::{AdapterClass, AxisTuning, GpuBuffer, GpuReducer, Matrix, Pending, Sum, Timed};
use wgpu_reduce_known::{Arguments, Times, agrees, hash, uniform};

/// So long a GPU takes at most to raise its clock.
const WARM_UP: Duration = Duration::from_millis(400);

/// So many runs wait for the GPU, so that its clock stays up.
const IN_FLIGHT: usize = 8;

/// Element k: a multiplicative hash of it, in [0, 1), as in `peers/axis.cu`.
fn element(index: u64) -> f32 {
    uniform(hash(index))
}

/// The sums of a matrix along an axis, in `f64`.
fn sums(values: &[f32], matrix: Matrix, axis: usize) -> Vec<f64> {
    let columns = usize::try_from(matrix.columns).expect("it fits");
    let rows = values.chunks(columns);
    if axis == 1 {
        return rows.map(|row| row.iter().map(|&value| f64::from(value)).sum()).collect();
    }
    rows.fold(vec![0.0; columns], |mut sums, row| {
        for (sum, &value) in sums.iter_mut().zip(row) {
            *sum += f64::from(value);
        }
        sums
    })
}

struct Subject {
    reducer: GpuReducer,
    values: Vec<f32>,
    buffer: GpuBuffer<f32>,
    repetitions: usize,
}

/// A shape along an axis, with a tuning and a place for the results.
struct Case<'a> {
    subject: &'a Subject,
    matrix: Matrix,
    axis: usize,
    tuning: AxisTuning,
    output: GpuBuffer<f32>,
}

impl Case<'_> {
    fn start(&self) -> Pending<Timed<()>> {
        let Subject { reducer, buffer, .. } = self.subject;
        let run = reducer
            .reduce(Sum, buffer)
            .along(self.matrix, self.axis)
            .tuned(self.tuning)
            .output(&self.output)
            .timed()
            .start();
        run.expect("it starts")
    }

    /// The GPU's times, where it tells them.
    fn gpu_us(&self) -> Option<Times> {
        let is_gpu = self.subject.reducer.caps().class == AdapterClass::Gpu;
        let start = Instant::now();
        let (mut in_flight, mut times) = (VecDeque::new(), Vec::new());
        let mut warm_ups = IN_FLIGHT;
        while times.len() < self.subject.repetitions {
            while in_flight.len() < IN_FLIGHT {
                in_flight.push_back(self.start());
            }
            let run = in_flight.pop_front().expect("there is one").wait().expect("it runs");
            if warm_ups > 0 {
                // Those on their way when the clock is up do not count, either.
                let is_cold = is_gpu && start.elapsed() < WARM_UP;
                warm_ups -= usize::from(!is_cold);
                continue;
            }
            times.push(run.gpu_ns? / 1e3);
        }
        for run in in_flight {
            run.wait().expect("it runs");
        }
        Times::of(times)
    }

    /// Panics on a wrong answer: a time for it would mean nothing.
    fn check(&self, expected: &[f64]) {
        let Self { matrix, axis, .. } = self;
        let left = self.output.download(&self.subject.reducer).expect("it can be read");
        assert_eq!(left.len(), expected.len(), "{matrix:?} along {axis}");
        for (place, (&sum, &expected)) in left.iter().zip(expected).enumerate() {
            let is_near = agrees(sum.into(), expected, 1e-5 * expected);
            assert!(is_near, "{matrix:?} along {axis}: {sum} at {place} is not {expected}");
        }
    }
}

impl Subject {
    fn new(log_len: u32, repetitions: usize) -> Self {
        let reducer = GpuReducer::new().expect("there is an adapter");
        let values: Vec<_> = (0..1 << log_len).map(element).collect();
        let buffer = reducer.upload(&values).expect("the data fits");
        Self { reducer, values, buffer, repetitions }
    }

    /// Prints a line for each tuning; the last one's bytes in a nanosecond.
    fn print(&self, matrix: Matrix, axis: usize, tunings: &[AxisTuning]) -> Option<f64> {
        let plan = self
            .reducer
            .reduce(Sum, &self.buffer)
            .along(matrix, axis)
            .plan()
            .expect("it can be planned");
        let expected = sums(&self.values, matrix, axis);
        let mut last = None;
        for (number, &tuning) in tunings.iter().enumerate() {
            let output = self.reducer.alloc(plan.results).expect("there is room");
            let case = Case { subject: self, matrix, axis, tuning, output };
            let gpu_us = case.gpu_us();
            case.check(&expected);
            #[expect(clippy::cast_precision_loss, reason = "printed with two digits")]
            let gb_per_s = gpu_us.map(|us| plan.least_bytes() as f64 / us.median / 1e3);
            let shown =
                |figure: Option<f64>| figure.map_or(String::new(), |figure| format!("{figure:.2}"));
            let (us, speed) = (shown(gpu_us.map(|us| us.median)), shown(gb_per_s));
            let spread = gpu_us.map_or(String::new(), |us| format!("{:.1}", us.spread));
            let Matrix { rows, columns } = matrix;
            println!(
                "{rows},{columns},{axis},{us},{},{speed},{number},{spread}",
                plan.least_bytes()
            );
            last = gb_per_s;
        }
        last
    }
}

/// As in `4096x16384:1`.
fn parse_shape(text: &str) -> Option<(Matrix, usize)> {
    let (shape, axis) = text.split_once(':')?;
    let (rows, columns) = shape.split_once('x')?;
    let matrix = Matrix { rows: rows.parse().ok()?, columns: columns.parse().ok()? };
    Some((matrix, axis.parse().ok().filter(|&axis| axis < 2)?))
}

/// As in `256,262144,8448,8,4,32`.
fn parse_tuning(text: &str, default: AxisTuning) -> Option<AxisTuning> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|number| number.parse().ok()).collect();
    let &[workgroup_size, invocations, max_workgroups, loads, rows, short_team] = &numbers?[..]
    else {
        return None;
    };
    Some(AxisTuning {
        workgroup_size,
        invocations,
        max_workgroups,
        loads_in_flight: loads,
        rows_in_flight: rows,
        short_team,
        ..default
    })
}

fn main() {
    env_logger::init();
    let arguments = Arguments::given();
    let is_bench = arguments.is_bench;
    let log_len = arguments.number(0).unwrap_or(if is_bench { 26 } else { 10 });
    let repetitions = arguments.number(1).unwrap_or(if is_bench { 21 } else { 1 });
    let subject = Subject::new(log_len, repetitions as usize);
    let shapes: Vec<_> = arguments.words.iter().filter_map(|text| parse_shape(text)).collect();
    let of_size = |matrix: Matrix| matrix.rows.checked_mul(matrix.columns) == Some(1 << log_len);
    assert!(shapes.iter().all(|&(matrix, _)| of_size(matrix)), "a shape is not of 2^{log_len}");
    let all = [1, 0].into_iter().flat_map(|axis| {
        (0..=log_len)
            .map(move |log| (Matrix { rows: 1 << (log_len - log), columns: 1 << log }, axis))
    });
    let shapes = if shapes.is_empty() { all.collect() } else { shapes };
    let default = AxisTuning::for_caps(&subject.reducer.caps());
    let mut tunings: Vec<_> =
        arguments.words.iter().filter_map(|text| parse_tuning(text, default)).collect();
    if tunings.is_empty() {
        tunings.push(default);
    }
    println!("# {}", subject.reducer.adapter_label());
    println!("rows,columns,axis,gpu_us,bytes,gb_per_s,tuning,spread");
    let speeds = shapes.iter().filter_map(|&(matrix, axis)| subject.print(matrix, axis, &tunings));
    let speeds: Vec<f64> = speeds.collect();
    let fastest = speeds.iter().copied().fold(0.0, f64::max);
    let slowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
    println!("# the slowest reaches {:.2} of the fastest", slowest / fastest);
}
