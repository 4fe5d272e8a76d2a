//! Sums of `f32` along an axis, for all shapes of one size; see `METHODOLOGY.md`.
//!
//! `cargo bench --bench axis -- [LOG2_OF_ELEMENTS, 26] [REPETITIONS, 21] [ROWSxCOLUMNS:AXIS ...]` prints CSV,
//! a line for each shape: medians of microseconds of GPU time, bytes read and written, and 10^9 of them in a
//! second. Without shapes they are all powers of two by powers of two, along both axes. Every answer of every
//! run is compared with a sum in `f64` on the host. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the
//! adapter. What `cargo test` runs is small.

use wgpu_reduce::{GpuBuffer, GpuReducer, Matrix, Pending, Sum, View};

/// Runs before those that count: a GPU raises its clock first.
const WARM_UP_RUNS: usize = 10;

/// Element k: a multiplicative hash of it, in [0, 1), as in `peers/axis.cu`.
#[expect(clippy::cast_precision_loss, reason = "24 bits")]
fn element(index: u32) -> f32 {
    (index.wrapping_mul(2_654_435_761) >> 8) as f32 / 16_777_216.0
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

impl Subject {
    fn new(log_len: u32, repetitions: usize) -> Self {
        let reducer = GpuReducer::new().expect("there is an adapter");
        let values: Vec<_> = (0..1 << log_len).map(element).collect();
        let buffer = reducer.upload(&values).expect("the data fits");
        Self { reducer, values, buffer, repetitions }
    }

    /// The median of the GPU's times, where it tells them. Panics on a wrong answer.
    fn gpu_us(&self, matrix: Matrix, axis: usize) -> Option<f64> {
        let (reducer, view) = (&self.reducer, View::from(matrix));
        let expected = sums(&self.values, matrix, axis);
        let tuning = reducer.axis_tuning();
        let mut times = Vec::new();
        for run in 0..WARM_UP_RUNS.min(self.repetitions) + self.repetitions {
            let outcome = reducer
                .reduce_axis_with(&tuning, Sum, &self.buffer, view, axis)
                .and_then(Pending::wait)
                .expect("it runs");
            assert_eq!(outcome.value.len(), expected.len(), "{matrix:?} along {axis}");
            for (place, (&sum, &expected)) in outcome.value.iter().zip(&expected).enumerate() {
                let is_near = (f64::from(sum) - expected).abs() <= 1e-5 * expected;
                assert!(is_near, "{matrix:?} along {axis}: {sum} at {place} is not {expected}");
            }
            if run >= WARM_UP_RUNS.min(self.repetitions) {
                times.extend(outcome.gpu_ns.map(|ns| ns / 1e3));
            }
        }
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    }

    fn print(&self, matrix: Matrix, axis: usize) -> Option<f64> {
        let plan =
            self.reducer.plan_axis(Sum, &self.buffer, matrix, axis).expect("it can be planned");
        let Matrix { rows, columns } = matrix;
        let gpu_us = self.gpu_us(matrix, axis);
        #[expect(clippy::cast_precision_loss, reason = "printed with three digits")]
        let gb_per_s = gpu_us.map(|us| plan.bytes() as f64 / us / 1e3);
        let shown =
            |figure: Option<f64>| figure.map_or(String::new(), |figure| format!("{figure:.2}"));
        println!("{rows},{columns},{axis},{},{},{}", shown(gpu_us), plan.bytes(), shown(gb_per_s));
        gb_per_s
    }
}

/// As in `4096x16384:1`.
fn parse_shape(text: &str) -> Option<(Matrix, usize)> {
    let (shape, axis) = text.split_once(':')?;
    let (rows, columns) = shape.split_once('x')?;
    let matrix = Matrix { rows: rows.parse().ok()?, columns: columns.parse().ok()? };
    Some((matrix, axis.parse().ok().filter(|&axis| axis < 2)?))
}

fn main() {
    // Cargo says --bench to a bench, and nothing to what is run as a test.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let arguments: Vec<_> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let number = |place: usize| arguments.get(place).and_then(|text| text.parse::<u32>().ok());
    let log_len = number(0).unwrap_or(if is_bench { 26 } else { 10 });
    let repetitions = number(1).unwrap_or(if is_bench { 21 } else { 1 });
    let subject = Subject::new(log_len, repetitions as usize);
    let shapes: Vec<_> = arguments.iter().filter_map(|text| parse_shape(text)).collect();
    let of_size = |matrix: Matrix| matrix.rows.checked_mul(matrix.columns) == Some(1 << log_len);
    assert!(shapes.iter().all(|&(matrix, _)| of_size(matrix)), "a shape is not of 2^{log_len}");
    let all = [1, 0].into_iter().flat_map(|axis| {
        (0..=log_len)
            .map(move |log| (Matrix { rows: 1 << (log_len - log), columns: 1 << log }, axis))
    });
    let shapes = if shapes.is_empty() { all.collect() } else { shapes };
    println!("# {}", subject.reducer.adapter_label());
    println!("rows,columns,axis,gpu_us,bytes,gb_per_s");
    let speeds: Vec<f64> =
        shapes.iter().filter_map(|&(matrix, axis)| subject.print(matrix, axis)).collect();
    let fastest = speeds.iter().copied().fold(0.0, f64::max);
    let slowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
    println!("# the slowest reaches {:.2} of the fastest", slowest / fastest);
}
