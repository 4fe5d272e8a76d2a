//! Several operations in one read beside each alone, in GPU time; see `METHODOLOGY.md`.
//!
//! `cargo bench --bench several -- [LOG2_OF_ELEMENTS, 28] [REPETITIONS, 22]` prints CSV, a line for each operation on `f32` and for each tuple
//! of them: the median of microseconds of runs one after another, the first left out, how far they differ (what lies between the quartiles,
//! in percent of the median), and 10^9 bytes of elements in a second. Each result of a tuple is checked beside that of its operation alone,
//! and that beside the host's. `WGPU_ADAPTER_NAME` and `WGPU_BACKEND` choose the adapter. What `cargo test` runs is small.

mod alone;

use wgpu_reduce::{
    ArgMin, CountNan, GpuBuffer, GpuReducer, Max, Mean, MinMax, Operation, Result, Sum, Timed,
    Variance,
};
use wgpu_reduce_known::{agrees, mixed, uniform};

struct Subject<'a> {
    reducer: &'a GpuReducer,
    repetitions: u32,
    input: &'a GpuBuffer<f32>,
    values: &'a [f32],
}

impl Subject<'_> {
    fn time<R>(&self, name: &str, run: impl Fn() -> Result<Timed<R>>) -> R {
        let bytes = 4 * self.input.len();
        let (times, last) = alone::time(self.reducer, self.repetitions, bytes, run);
        println!("{name},{},{times}", self.input.len());
        last
    }

    /// Prints a line. Panics on a wrong answer: a time for it would mean nothing.
    fn alone<O: Operation<f32>>(
        &self,
        name: &str,
        operation: O,
        is_right: impl Fn(O::Output, O::Output, f64) -> bool,
    ) -> O::Output {
        let request = self.reducer.reduce(operation, self.input);
        let accuracy = request.plan().expect("it is planned").accuracy();
        let found = self.time(name, || request.clone().timed().run());
        let expected = operation.on_cpu(self.values).expect("it is defined");
        let bound = operation.tolerance(self.values, &accuracy);
        assert!(is_right(found, expected, bound), "{name}: {found:?}, not {expected:?}");
        found
    }

    fn measure(&self) {
        let near = |a: f32, b: f32, bound: f64| agrees(f64::from(a), f64::from(b), bound);
        let sum = self.alone("sum", Sum, near);
        let max = self.alone("max", Max, |a, b, _| a.to_bits() == b.to_bits());
        let argmin = self.alone("argmin", ArgMin, |a, b, _| a == b);
        let nan = self.alone("count_nan", CountNan, |a, b, _| a == b);
        let ends = self.alone("min_max", MinMax, |a, b, _| a == b);
        let mean = self.alone("mean", Mean, near);
        let variance = self.alone("variance", Variance::default(), near);

        // Partial sums of as many additions, if not of the same.
        let bound = 1e-5 * f64::from(sum).abs().max(1.0);
        let two = self.reducer.reduce((Sum, Max), self.input).timed();
        let found = self.time("sum max", || two.clone().run());
        assert!(near(found.0, sum, bound) && found.1.to_bits() == max.to_bits(), "{found:?}");
        let four = self.reducer.reduce((Sum, Max, ArgMin, CountNan), self.input).timed();
        let found = self.time("sum max argmin count_nan", || four.clone().run());
        assert!(near(found.0, sum, bound) && (found.1, found.2, found.3) == (max, argmin, nan));
        let three = (Mean, Variance::default(), MinMax);
        let three = self.reducer.reduce(three, self.input).timed();
        let found = self.time("mean variance min_max", || three.clone().run());
        assert!(near(found.0, mean, 1e-5) && near(found.1, variance, 1e-5) && found.2 == ends);
    }
}

fn main() {
    let (reducer, len, repetitions) =
        alone::begin("operations,elements,gpu_us,spread,gb_per_s", [28, 22]);
    let values: Vec<f32> = (0..len).map(|index| uniform(mixed(index))).collect();
    let input = reducer.upload(&values).expect("the data fits");
    let values = &values;
    Subject { reducer: &reducer, repetitions, input: &input, values }.measure();
}
